# Completion of jobstrand in fish: asks the program itself, which knows its nouns, verbs, options and their values.
function __jobstrand_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c jobstrand -f -k -a '(__jobstrand_complete)'
