# SPDX-License-Identifier: BSD-3-Clause
# Completion of mpiexec, mpirun and oriel-info for bash, which finds it by the name of the
# command where bash-completion is installed and XDG_DATA_DIRS has this prefix's share;
# else source it. For zsh: autoload -U bashcompinit && bashcompinit, then source it.
# The options are those that the command itself lists.

# What follows an option: its values as --list-options has them.
_oriel_values() {
    local wanted=${1#-} names values
    wanted=${wanted#-}
    while read -r names values; do
        case "|$names|" in
        *"|-$wanted|"* | *"|--$wanted|"*)
            printf '%s' "$values"
            return
            ;;
        esac
    done <<<"$2"
    return 1
}

# Completes the value that is called $1.
_oriel_complete_value() {
    case $1 in
    *'|'*) COMPREPLY=($(compgen -W "${1//|/ }" -- "$2")) ;;
    DIR | DIRS) COMPREPLY=($(compgen -d -- "$2")) ;;
    FILE | PATTERN) COMPREPLY=($(compgen -f -- "$2")) ;;
    NAME*)
        local variables
        variables=$(printf '%s\n' "$3" | sed -n 's/^\(ORIEL_[A-Z_]*\)=.*/\1/p')
        COMPREPLY=($(compgen -W "$variables" -- "$2") $(compgen -e -- "$2"))
        ;;
    A:N*) COMPREPLY=($(compgen -A hostname -- "$2")) ;;
    esac
}

_oriel_mpiexec() {
    local word=${COMP_WORDS[COMP_CWORD]} listed at=1 current values awaited=
    COMPREPLY=()
    # Another MPI's mpiexec has no such list.
    if ! listed=$("${COMP_WORDS[0]}" --list-options 2>/dev/null); then
        COMPREPLY=($(compgen -f -- "$word"))
        return
    fi
    local has_program=
    while [ "$at" -lt "$COMP_CWORD" ]; do
        current=${COMP_WORDS[at]}
        if [ -n "$awaited" ]; then
            case $awaited in
            *' '*) awaited=${awaited#* } ;;
            *) awaited= ;;
            esac
        elif [ "$current" = : ]; then
            has_program=
        elif [ -z "$has_program" ]; then
            case $current in
            -*) awaited=$(_oriel_values "$current" "$listed") ;;
            *) has_program=yes ;;
            esac
        fi
        at=$((at + 1))
    done
    if [ -n "$awaited" ]; then
        _oriel_complete_value "${awaited%% *}" "$word" "$listed"
    elif [ -n "$has_program" ]; then
        COMPREPLY=($(compgen -f -- "$word"))
    elif [ "${word#-}" != "$word" ]; then
        values=$(printf '%s\n' "$listed" | sed -n 's/^\(-[^ ]*\).*/\1/p' | tr '|' ' ')
        COMPREPLY=($(compgen -W "$values" -- "$word"))
    else
        COMPREPLY=($(compgen -c -- "$word") $(compgen -d -- "$word"))
    fi
}

_oriel_info() {
    COMPREPLY=($(compgen -W "--json --test --help --version" -- "${COMP_WORDS[COMP_CWORD]}"))
}

complete -o filenames -F _oriel_mpiexec mpiexec mpirun
complete -F _oriel_info oriel-info
