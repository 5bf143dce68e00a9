# SPDX-License-Identifier: BSD-2-Clause
# Counting of checks, for the scripts of this folder; sourced.
passed=0 failed=0

check() { # what, exit status wanted, command...
    local what=$1 want=$2
    shift 2
    "$@" >"$dir/out" 2>&1 </dev/null
    local status=$?
    if [ "$status" -eq "$want" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what (status $status, not $want)"
        cat "$dir/out"
    fi
}

# The same, of what the last check printed.
says() { # what, pattern
    if grep -Eq -- "$2" "$dir/out"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $1: nothing like '$2' in"
        cat "$dir/out"
    fi
}
