#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Prints the manual page of a program or of one of its sub-commands, from what
# its --help says, with sections of a file added (@SEE@ in it: further pages).
#
#     tool.sh VERSION DATE INCLUDE PROGRAM TITLE [SUB] [PAGE...]
#
# An empty TITLE is taken from the list of sub-commands in PROGRAM --help.
set -eu
version=$1 date=$2 include=$3 program=$4 title=$5 sub=${6:-}
shift 6 || shift $#
name=$(basename "$program")
page=$name${sub:+-$sub}
[ -n "$title" ] || title=$("$program" --help | sed -n "s/^  $sub  *//p")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf '.BR %s (1),\n' "$@" >"$tmp/see"
sed -e "/^@SEE@\$/{r $tmp/see" -e 'd}' "$include" >"$tmp/include"
help2man --no-info --version-string="$version" --include="$tmp/include" --name="$title" "$program${sub:+ $sub}" |
    sed "s/^\.TH .*/.TH $(echo "$page" | tr a-z A-Z) 1 \"$date\" \"metaroce $version\" \"MetaRoCE Manual\"/
         s/^$name $sub \\\\-/$page \\\\-/
         s/^\\\\fI\\\\,$sub \\\\\\/\\\\fR/\\\\fB$sub\\\\fR /"
