# SPDX-License-Identifier: BSD-2-Clause
# An installation: header, libraries, manual pages, examples; and that it goes again. Sourced.

prefix=$dir/prefix
make_() { make --no-print-directory -s -f mk/build.mk B="$B" "$@"; }

rm -rf "$prefix" "$dir/dest"
check "install" 0 make_ install PREFIX="$prefix"
for f in bin/mrnic bin/mrsim include/metaroce.h include/metaroce_codes.h lib/libmetaroce.a lib/libmetaroce.so \
    lib/libmetaroce.so.0 lib/libmrverbs.so lib/pkgconfig/metaroce.pc share/doc/metaroce/examples/write.c \
    share/man/man1/mrnic-dump.1 share/man/man1/mrnic-run.1 share/man/man3/mr_device_open.3 share/man/man7/metaroce.7; do
    check "$f" 0 test -f "$prefix/$f"
done
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
check "its version" 0 pkg-config --modversion metaroce
says "is the header's" "^$(sed -nE 's/^#define METAROCE_VERSION_(MAJOR|MINOR) +([0-9]+).*/\2/p' host/include/metaroce.h | paste -sd.)\$"
check "commands run from there" 0 env -u LD_LIBRARY_PATH "$prefix/bin/mrnic" --version
check "and the simulator" 0 env -u LD_LIBRARY_PATH "$prefix/bin/mrsim" --version

# The header, alone, for other people's compilers.
echo '#include <metaroce.h>' >"$dir/alone.c"
cp "$dir/alone.c" "$dir/alone.cc"
for cc in gcc-12:c11 gcc-12:c17 gcc-12:c2x clang-19:c11 clang-19:c17 clang-19:c23; do
    check "header with $cc" 0 "${cc%:*}" -std="${cc#*:}" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        $(pkg-config --cflags metaroce) "$dir/alone.c"
done
for cc in g++-12:c++17 g++-12:c++20 clang++-19:c++17; do
    check "header with $cc" 0 "${cc%:*}" -std="${cc#*:}" -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        $(pkg-config --cflags metaroce) "$dir/alone.cc"
done
cat >"$dir/use.cc" <<'END'
#include <metaroce.h>
#include <cstdio>
int main() { mr_conn_attr a = {}; return std::printf("%s\n", mr_strerror(a.paths)) < 0; }
END
check "a C++ program" 0 g++-12 -std=c++17 -Wall -Wextra -Werror -o "$dir/use" "$dir/use.cc" \
    $(pkg-config --cflags --libs metaroce)
check "runs" 0 env LD_LIBRARY_PATH="$prefix/lib" "$dir/use"

# Every example, against the shared and against the static library.
for src in "$prefix"/share/doc/metaroce/examples/*.c; do
    name=$(basename "$src" .c)
    check "example $name, shared" 0 gcc-12 -std=c11 -Wall -Wextra -Werror -o "$dir/$name.shared" "$src" \
        $(pkg-config --cflags --libs metaroce)
    check "example $name, static" 0 gcc-12 -std=c11 -Wall -Wextra -Werror -static -o "$dir/$name.static" "$src" \
        $(pkg-config --cflags --static --libs metaroce)
done
check "needs the library by its soname" 0 readelf -d "$dir/write.shared"
says "needs the library by its soname" 'NEEDED.*libmetaroce\.so\.0\]'
export MR_SOFT_DIR=$dir/soft
check "an example on soft:, shared" 0 env LD_LIBRARY_PATH="$prefix/lib" "$dir/write.shared"
says "and what it wrote" "peer's memory: a message"
check "an example on soft:, static" 0 "$dir/write.static"
says "and what it wrote" "peer's memory: a message"

# What the libraries show is what the header declares.
sed -nE 's/^MR_API .*[ *](mr_[a-z0-9_]+)\(.*/\1/p' host/include/*.h | sort >"$dir/declared"
nm -D --defined-only "$prefix/lib/libmetaroce.so" | awk '$2 != "A" {sub("@.*", "", $3); print $3}' | sort >"$dir/shared"
nm -g --defined-only "$prefix/lib/libmetaroce.a" | awk 'NF == 3 {print $3}' | sort >"$dir/static"
check "symbols of the shared library" 0 diff "$dir/declared" "$dir/shared"
check "symbols of the static library" 0 diff "$dir/declared" "$dir/static"
check "all begin with mr_" 1 grep -v '^mr_' "$dir/shared"
for f in lib/libmetaroce.so bin/mrnic bin/mrsim; do
    check "dynamic section of $f" 0 readelf -d "$prefix/$f"
    cp "$dir/out" "$dir/dynamic"
    check "$f has no RPATH" 1 grep -E 'RPATH|RUNPATH' "$dir/dynamic"
done
check "nothing beyond the C library is needed" 1 sh -c \
    "readelf -d $prefix/lib/libmetaroce.so | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^libc\.so'"

# Manual pages: one for each function, none with a warning.
while read -r f; do
    check "page of $f" 0 test -f "$prefix/share/man/man3/$f.3"
done <"$dir/declared"
for s in $("$prefix/bin/mrnic" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    check "page of mrnic $s" 0 test -f "$prefix/share/man/man1/mrnic-$s.1"
done
for page in "$prefix"/share/man/man?/*; do
    to=$(sed -n 's/^\.so //p' "$page")
    if [ -n "$to" ]; then
        check "$(basename "$page") leads to a page" 0 grep -q "$(basename "$page" .3)" "$prefix/share/man/$to"
        continue
    fi
    check "mandoc of $(basename "$page")" 0 mandoc -Tlint -W warning "$page"
    check "groff of $(basename "$page")" 0 sh -c "groff -man -Tutf8 -ww -z '$page' 2>&1 | (! grep .)"
done

# It goes again, and an installation can be staged.
check "uninstall" 0 make_ uninstall PREFIX="$prefix"
check "leaves nothing" 1 sh -c "find '$prefix' ! -type d | grep ."
check "nor a folder of its own" 1 sh -c "find '$prefix' -name '*metaroce*' | grep ."
check "install to a staging folder" 0 make_ install PREFIX=/opt/mr DESTDIR="$dir/dest"
check "with the final paths" 0 grep -x 'libdir=/opt/mr/lib' "$dir/dest/opt/mr/lib/pkgconfig/metaroce.pc"
check "and without the others" 1 grep -rl "$dir" "$dir/dest/opt/mr/lib/pkgconfig"
check "uninstall from there" 0 make_ uninstall PREFIX=/opt/mr DESTDIR="$dir/dest"
check "leaves nothing there" 1 sh -c "find '$dir/dest' ! -type d | grep ."
