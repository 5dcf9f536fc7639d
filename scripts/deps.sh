#!/usr/bin/env bash
# Installs what is missing on Debian or Ubuntu: 'deps.sh build' what `make` needs, 'deps.sh build browser' also what
# looks at pages, 'deps.sh build bench' also what `make bench` compares with, 'deps.sh' all that `make test` needs.
# Only root, or CI=true, installs; everyone else is told the one command. Quick when nothing is missing.
set -euo pipefail

# for       package               why
packages='
build       gcc                   the compiler
build       libc6-dev             its C library
build       make                  the front, and what CMake drives
build       cmake                 the build
build       pkg-config            finds HDF5 and libyaml
build       libhdf5-dev           trajectory files (the serial HDF5)
build       libyaml-dev           scene files
build       libsuitesparse-dev    AMD, LDL and KLU: sparse factorisations
test        clang-format-14       the check of the format; other versions format differently
test        clang-14              fuzzing
test        libclang-rt-14-dev    libFuzzer and the sanitizers of clang
test        binutils              nm, for the check of the symbols
test        python3               tests that drive the command from outside
test        python3-numpy         the same
test        python3-h5py          a second reader of trajectory files
test        python3-jsonschema    is the schema of scenes a schema?
test        python3-yaml          a second reader of scenes
test        python3-vtk9          reads what is exported for ParaView
test        blender               shows what is exported for it
browser     chromium              pages are looked at in it
test        coinor-libipopt-dev   a second minimiser of what shots minimise
test        locales               a language with a decimal comma
test        librsvg2-bin          rsvg-convert: do figures show something?
test        git                   the check that tests leave the source tree alone
bench       petsc-dev             the comparison with its solvers
bench       coinor-libipopt-dev   the comparison of shots with it
bench       libarpack2-dev        the comparison of modes with it
bench       libopenblas0-serial   a BLAS that does them justice, on one thread
'
# Node comes in many ways, and Debian's packages conflict with some of them: only where there is none at all
command -v npm >/dev/null || packages+='build npm the pages of lilyan report (brings nodejs)
'
classes=${*:-build browser test}
wanted=$(awk -v classes=" $classes " 'NF && index(classes, " " $1 " ") { print $2 }' <<<"$packages")

# elsewhere CMake says what it cannot find
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || exit 0

# shellcheck disable=SC2086  # one word per package
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p' || true)
missing=$(grep -vxF "$installed" <<<"$wanted" | xargs || true)
[ -n "$missing" ] || exit 0

install="apt-get install -y --no-install-recommends $missing"
if [ "$(id -u)" -eq 0 ]; then
    sudo=
elif [ "${CI:-}" = true ]; then
    sudo='sudo -n'
else
    printf 'These packages are missing. Install them with:\n\n    sudo %s\n\n' "$install" >&2
    exit 1
fi

printf 'Installing %s\n' "$missing"
# shellcheck disable=SC2086
{ $sudo apt-get update -q && $sudo env DEBIAN_FRONTEND=noninteractive $install -q; } </dev/null
