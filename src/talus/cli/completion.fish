# Completion for fish: verbs, options and their values, names in the record that has been named.
#
#   source completion.fish        an installed Talus is found by fish on its own
function __talus_complete
    set -l words (commandline --tokenize --cut-at-cursor --current-process)
    set -l word (commandline --current-token --cut-at-cursor)
    set -l found ($words[1] complete -- $words[2..-1] $word 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path $word
    end
end
complete --command talus --no-files --arguments '(__talus_complete)'
