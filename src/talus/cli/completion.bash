# Completion for bash: verbs, options and their values, names in the record that has been named.
#
#   source completion.bash        an installed Talus is found by bash-completion on its own
_talus() {
  local word words=("${COMP_WORDS[@]:1:COMP_CWORD}")
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <("${COMP_WORDS[0]}" complete -- "${words[@]//\\/}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} != *. ]] || compopt -o nospace
}
complete -o bashdefault -o default -F _talus talus ./talus
