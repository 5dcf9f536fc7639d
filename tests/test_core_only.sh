#!/usr/bin/env bash
# The library without HDF5, libyaml and pages (LILYAN_CORE_ONLY): it links, steps models from C, and says what it is. Its objects are
# those of this build, but for one that differs: to compile the rest again would show nothing more.
# release only
set -euo pipefail
cd "$LILYAN_SOURCE"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# it can be configured where neither HDF5 nor libyaml is, and asks its users for neither
PKG_CONFIG_LIBDIR=$dir cmake -S . -B "$dir/core" -DLILYAN_CORE_ONLY=ON -DCMAKE_INSTALL_PREFIX="$dir/prefix" >"$dir/log" 2>&1 ||
    { cat "$dir/log"; exit 1; }
if grep -qiE 'hdf5|yaml' "$dir/core/lilyan.pc"; then echo 'lilyan.pc asks for HDF5 or libyaml'; exit 1; fi
grep -q -- '-DLIL_CORE_ONLY' "$dir/core/lilyan.pc"
if grep -qE 'lilyan_objects[.]dir/src/(record|run|scene)/|viewer/page' "$dir/core/compile_commands.json"; then
    echo 'files that need HDF5 or libyaml are compiled'; exit 1
fi

of_this_build=$LILYAN_BUILD/CMakeFiles/lilyan_objects.dir/src # whose path may have a folder of these names too
mapfile -t objects < <(find "$of_this_build" -name '*.o' ! -path "$of_this_build/record/*" ! -path "$of_this_build/run/*" \
    ! -path "$of_this_build/scene/*" ! -name context.c.o)
[ ${#objects[@]} -gt 0 ]
cc -std=c17 -O1 -fPIC -fvisibility=hidden -D_POSIX_C_SOURCE=200809L '-DLILYAN_VERSION="core"' -DLIL_CORE_ONLY -Isrc -Iinclude \
    -c src/core/context.c -o "$dir/context.o"
cc -shared -Wl,-z,defs "${objects[@]}" "$dir/context.o" -o "$dir/liblilyan.so" \
    -lldl -lklu -lbtf -lcolamd -lamd -lsuitesparseconfig -pthread -lm
if ldd "$dir/liblilyan.so" | grep -iE 'hdf5|yaml'; then echo 'it loads them'; exit 1; fi
echo 'linked without HDF5 and libyaml'

build() { cc -std=c99 -Wall -Wextra -Werror -DLIL_CORE_ONLY -Iinclude "$1" -o "$dir/program" -L"$dir" -llilyan -lm; }
export LD_LIBRARY_PATH=$dir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for example in own_term own_force sparse_chain; do
    build examples/$example.c
    "$dir/program"
done
echo '#include <lilyan/lilyan.h>
int main(void) { return puts(lil_version_features()) < 0; }' >"$dir/features.c"
build "$dir/features.c"
[ "$("$dir/program")" = core ]
# what it lacks is an error of the compiler's, not of the program's
echo '#include <lilyan/lilyan.h>
int main(void) { lil_scene *s = 0; return lil_scene_load(0, "", &s); }' >"$dir/scene.c"
if build "$dir/scene.c" 2>/dev/null; then echo 'a call of lil_scene_load compiles'; exit 1; fi

# and the whole library has it all
cc -std=c99 -Wall -Wextra -Werror -Iinclude examples/own_material.c -o "$dir/program" -L"$LILYAN_BUILD" -llilyan -lm \
    -Wl,-rpath,"$LILYAN_BUILD"
LD_LIBRARY_PATH='' "$dir/program"
cc -Iinclude "$dir/features.c" -o "$dir/program" -L"$LILYAN_BUILD" -llilyan -Wl,-rpath,"$LILYAN_BUILD"
[ "$(LD_LIBRARY_PATH='' "$dir/program")" = 'core scenes trajectories pages' ]
