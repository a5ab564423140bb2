# Completion of jobstrand in bash: asks the program itself, which knows its nouns, verbs, options and their values.
_jobstrand() {
    local line=${COMP_LINE:0:COMP_POINT} last=${COMP_WORDS[COMP_CWORD]} words candidate before
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    # bash also breaks words at = and : and replaces only what stands behind the last break.
    [[ $last == [=:] ]] && last=
    before=${words[-1]%"$last"}
    COMPREPLY=()
    while IFS=$'\t' read -r candidate _; do
        if [[ $candidate == :files ]]; then
            compopt -o default
            return
        fi
        printf -v candidate %q "${candidate#"$before"}"
        COMPREPLY+=("$candidate")
    done < <("${words[0]/#\~\//$HOME/}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _jobstrand jobstrand
