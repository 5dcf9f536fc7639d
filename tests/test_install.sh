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

# The shared library brings what it needs: a user has no headers nor pkg-config files of HDF5, libyaml and SuiteSparse.
# Here pkg-config, also CMake's, sees nothing but ours.
export PKG_CONFIG_LIBDIR=$libdir/pkgconfig
unset PKG_CONFIG_PATH
if pkg-config --exists hdf5-serial || pkg-config --exists yaml-0.1; then echo 'nothing is hidden'; exit 1; fi
cc program.c -o alone $(pkg-config --cflags --libs lilyan)
check 'pkg-config without -dev packages' "$(LD_LIBRARY_PATH=$libdir ./alone)"
diff <(ls "$LILYAN_SOURCE/include/lilyan") <(ls "$prefix/include/lilyan") # every header
cc -std=c99 "$LILYAN_SOURCE/examples/chain.c" -o chain $(pkg-config --cflags --libs lilyan) -lm
LD_LIBRARY_PATH=$libdir ./chain >/dev/null
echo 'an example: ok'
mkdir without
cat >without/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.21)
project(program LANGUAGES C)
find_package(lilyan 0.1 REQUIRED)
add_executable(with_shared ../program.c)
target_link_libraries(with_shared PRIVATE lilyan::lilyan)
if(TARGET lilyan::static)
    message(FATAL_ERROR "lilyan::static cannot be linked here")
endif()
END
cmake -S without -B without/b -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build without/b >/dev/null
check 'find_package without -dev packages' "$(without/b/with_shared)"

# who asks for the static library there is told what is missing
sed -i 's/lilyan 0.1 REQUIRED/lilyan 0.1 REQUIRED COMPONENTS static/' without/CMakeLists.txt
if cmake -S without -B without/c -DCMAKE_PREFIX_PATH="$prefix" >static.log 2>&1; then
    echo 'COMPONENTS static was found'; exit 1
fi
grep -q 'libyaml, HDF5' static.log || { cat static.log; exit 1; }
echo 'COMPONENTS static without -dev packages: refused'

[ -s "$prefix/share/man/man1/lilyan.1" ] || { echo 'the man page is not installed'; exit 1; }
