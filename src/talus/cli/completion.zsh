#compdef talus
# Completion for zsh: verbs, options and their values, names in the record that has been named.
#
#   source completion.zsh         after compinit; an installed Talus is found as _talus
_talus() {
  local -a found
  found=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${found[1]} ]]; then compadd -- "${found[@]}"; else _files; fi
}
if [[ $funcstack[1] == _talus ]]; then _talus "$@"; else compdef _talus talus ./talus; fi
