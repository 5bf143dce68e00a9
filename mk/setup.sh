#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Installs the Debian packages of packages.txt that are missing. usage: setup.sh STAMP
set -eu
stamp=$1
list=$(dirname "$0")/packages.txt
wanted=$(sed 's/#.*//' "$list" | tr -s ' \n' ' ')
missing=
for p in $wanted; do
    dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed || missing="$missing $p"
done
if [ -n "$missing" ]; then
    if [ "$(id -u)" != 0 ]; then
        echo "set-up: run this once as root: apt-get install -y$missing" >&2
        exit 1
    fi
    echo "set-up: installing$missing"
    mkdir -p "$(dirname "$stamp")"
    log=$(dirname "$stamp")/setup.log
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086
    if ! { apt-get update -q && apt-get install -y -q --no-install-recommends $missing; } >"$log" 2>&1; then
        echo "set-up: apt failed, see $log; its last lines:" >&2
        tail -5 "$log" >&2
        exit 1
    fi
fi
mkdir -p "$(dirname "$stamp")"
cp "$list" "$stamp"
