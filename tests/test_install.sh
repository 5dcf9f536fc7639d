#!/usr/bin/env bash
# A program can be built against an installed Lilyan in three ways, and what is installed is complete.
# release only
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
prefix=$dir/prefix
cmake --install "$LILYAN_BUILD" --prefix "$prefix" >/dev/null
cd "$dir"

cat >program.c <<'END'
#include <lilyan/lilyan.h>
#include <stdio.h>
int main(void) {
    return puts(lil_version()) < 0;
}
END
expected=$("$prefix/bin/lilyan" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
check() { # how, what it printed
    [ "$2" = "$expected" ] || { echo "$1: printed '$2', expected '$expected'"; exit 1; }
    echo "$1: ok"
}

libdir=$(dirname "$(find "$prefix" -name liblilyan.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig
cc -std=c17 -Wall -Wextra -Wpedantic -Werror program.c -o shared $(pkg-config --cflags --libs lilyan)
check 'pkg-config' "$(LD_LIBRARY_PATH=$libdir ./shared)"
check 'pkg-config --modversion' "$(pkg-config --modversion lilyan)"

# both libraries are in one folder, and -llilyan would take the shared one
cc program.c -o static $(pkg-config --static --cflags --libs lilyan | sed 's/-llilyan/-l:liblilyan.a/')
check 'pkg-config --static' "$(./static)"

cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(program LANGUAGES C)
find_package(lilyan 0.1 REQUIRED)
add_executable(with_shared program.c)
target_link_libraries(with_shared PRIVATE lilyan::lilyan)
add_executable(with_static program.c)
target_link_libraries(with_static PRIVATE lilyan::static)
END
cmake -S . -B b -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build b >/dev/null
check 'find_package, shared' "$(b/with_shared)"
check 'find_package, static' "$(b/with_static)"

[ -s "$prefix/share/man/man1/lilyan.1" ] || { echo 'the man page is not installed'; exit 1; }
