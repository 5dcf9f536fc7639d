#!/usr/bin/env bash
# Runs four scenes with every integrator and puts the tables between the markers in docs/integrators.md: what
# `lilyan run SCENE --variants` prints, where the variants are the methods. integrators-docs.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
page=docs/integrators.md
work=$build/integrators
mkdir -p "$work"

# table SCENE UNTIL: variants on standard input, in place of the scene's own
table() {
    sed '/^variants:/,$d' "scenes/$1.yaml" >"$work/$1.yaml"
    { echo 'variants:'; cat; } >>"$work/$1.yaml"
    (cd "$work" && "$build/lilyan" run "$1.yaml" --variants --force --until "$2" --threads 1 2>"$1.log" || true) |
        grep '^|' >"$work/$1.md"
    rm -f "$work/$1".*.h5
    [ -s "$work/$1.md" ] || { cat "$work/$1.log" >&2; exit 1; }
    awk -v tables="$work/$1.md" -v name="$1" '
        $0 == "<!-- " name ": end -->" { skip = 0 }
        !skip { print }
        $0 == "<!-- " name ": begin -->" { skip = 1; print ""; while ((getline line < tables) > 0) print line; print "" }
    ' "$page" >"$page.part"
    mv "$page.part" "$page"
    echo "$1"
}

table pendulum 20 <<'VARIANTS'
  stormer-verlet: {integrator: stormer-verlet}
  symplectic-euler: {integrator: symplectic-euler}
  midpoint: {integrator: midpoint}
  energy-momentum: {integrator: energy-momentum}
  composition: {integrator: {method: composition, base: stormer-verlet}}
  gauss: {integrator: gauss}
  lobatto: {integrator: lobatto}
  newmark: {integrator: newmark}
  rk4: {integrator: rk4}
  implicit-euler: {integrator: implicit-euler}
  explicit-euler: {integrator: explicit-euler}
VARIANTS

table stiff-rod 450 <<'VARIANTS'
  energy-momentum: {integrator: energy-momentum}
  midpoint: {integrator: midpoint}
  newmark: {integrator: newmark}
  implicit-euler: {integrator: implicit-euler}
  stormer-verlet: {integrator: stormer-verlet, time: {step: 0.0025}}
  asynchronous: {integrator: asynchronous}
  symplectic-euler: {integrator: symplectic-euler, time: {step: 0.0025}}
  composition: {integrator: {method: composition, base: stormer-verlet}, time: {step: 0.0025}}
  rk4: {integrator: rk4, time: {step: 0.0025}}
  explicit-euler: {integrator: explicit-euler, time: {step: 0.0025}}
VARIANTS

table twisted-bar 2 <<'VARIANTS'
  energy-momentum: {integrator: energy-momentum}
  midpoint: {integrator: midpoint}
  newmark: {integrator: newmark}
  implicit-euler: {integrator: implicit-euler}
  stormer-verlet: {integrator: stormer-verlet, time: {step: 0.0005}}
  asynchronous: {integrator: asynchronous}
  symplectic-euler: {integrator: symplectic-euler, time: {step: 0.0005}}
  rk4: {integrator: rk4, time: {step: 0.0005}}
VARIANTS

table avi-mixed 0.096 <<'VARIANTS'
  asynchronous: {integrator: asynchronous}
  stormer-verlet: {integrator: stormer-verlet, time: {step: 0.000015}}
  symplectic-euler: {integrator: symplectic-euler, time: {step: 0.000015}}
  midpoint: {integrator: midpoint, solver: {tolerance: 1e-8}, time: {step: 0.0048}}
  energy-momentum: {integrator: energy-momentum, solver: {tolerance: 1e-8}, time: {step: 0.0048}}
VARIANTS
