# Completion for bash: verbs, and for `talus plot` the series of the record that has been named.
#
#   source completion.bash        an installed Talus is found by bash-completion on its own
_talus() {
  local word=${COMP_WORDS[COMP_CWORD]} record='' one
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$("${COMP_WORDS[0]}" --help 2>/dev/null |
      sed -n '/^Subcommands/,/^$/ s/^  \([a-z]\{1,\}\).*/\1/p')" -- "$word")
  elif [[ ${COMP_WORDS[1]} == plot && $word != -* ]]; then
    for one in "${COMP_WORDS[@]:2}"; do
      if [[ $one == *.h5 && -f $one ]]; then record=$one; fi
    done
    if [[ -n $record ]]; then
      while IFS= read -r one; do  # names may have spaces: two of them end one in the list
        [[ $one == "$word"* || $one == "${word//\\/}"* ]] && COMPREPLY+=("$(printf '%q' "$one")")
      done < <("${COMP_WORDS[0]}" plot "$record" --list 2>/dev/null | sed 's/  .*//')
    fi
  fi
}
complete -o bashdefault -o default -F _talus talus ./talus
