# A short front for CMake. 'make help' lists what it can do.
BUILD        := build
PREFIX       ?= /usr/local
JOBS         ?= $(shell nproc)
FUZZ_SECONDS ?= 300
MAKEFLAGS    += --no-print-directory

build: ## build the library and the command (build/lilyan)
	@cmake -S . -B $(BUILD) $(CMAKE_FLAGS) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS)

demo: ## install what is missing, build, run the demo scene, write its page
	@scripts/deps.sh build
	@$(MAKE) build
	@mkdir -p $(BUILD)/demo
	$(BUILD)/lilyan run scenes/gummy-bear.yaml --force -o $(BUILD)/demo/gummy-bear.h5
	@if $(BUILD)/lilyan report $(BUILD)/demo/gummy-bear.h5 --force > /dev/null; then \
	    printf '\nOpen this page in a browser:\n%s\n' "$(abspath $(BUILD))/demo/gummy-bear.html"; fi

test: ## install what is missing, build, run every test
	@scripts/deps.sh
	@scripts/test.sh

bits: ## write tests/bits.txt again, after a change that is meant to change results
	@$(MAKE) build CMAKE_FLAGS="$(CMAKE_FLAGS) -DLILYAN_TESTS=ON"
	@LILYAN_SOURCE=. $(BUILD)/tests/test_bits --write

# what looks at pages: a build with playwright-core, and Chromium
browser:
	@scripts/deps.sh build browser
	@$(MAKE) build CMAKE_FLAGS="$(CMAKE_FLAGS) -DLILYAN_BROWSER=ON"

bench: ## build and run the benchmarks, PETSc's solvers beside ours
	@scripts/deps.sh build bench || echo 'Going on without what is missing.'
	@$(MAKE) build
	@cmake --build $(BUILD) -j $(JOBS) --target bench
	@set -e; for b in bench/bench_*.c; do $(BUILD)/$${b%.c}; done
	@scripts/bench-docs.sh $(BUILD)/bench/table.md
	@$(MAKE) browser > /dev/null
	@node bench/bench_pages.mjs $(BUILD)

gallery: browser ## run every scene: a page each, and build/gallery/index.html (some 6 minutes)
	@scripts/get-bunny.sh || echo 'Going on without the bunny.'
	@node scripts/gallery.mjs $(BUILD) $(BUILD)/gallery scenes/*.yaml

FIGURES := $(BUILD)/figures
figures: browser ## make the figures and pictures of docs/figures again (some 2 minutes)
	@mkdir -p $(FIGURES) docs/figures
	$(BUILD)/lilyan run scenes/pendulum.yaml --variants --until 20 --force -o $(FIGURES)/pendulum.h5 > /dev/null
	$(BUILD)/lilyan run scenes/elastic-rod.yaml --until 800 --force -o $(FIGURES)/elastic-rod-to-800s.h5 > /dev/null
	$(BUILD)/lilyan run scenes/elastic-rod-damped.yaml --force -o $(FIGURES)/elastic-rod-damped.h5 > /dev/null
	$(BUILD)/lilyan plot $(FIGURES)/pendulum.*.h5 --force -o docs/figures/fig1.svg
	$(BUILD)/lilyan plot $(FIGURES)/elastic-rod-to-800s.h5 --what energy,momentum --force -o docs/figures/fig2.svg
	$(BUILD)/lilyan plot $(FIGURES)/elastic-rod-damped.h5 --what energy,momentum --force -o docs/figures/fig3.svg
	$(BUILD)/lilyan run scenes/elastic-rod.yaml --until 4 --force -o $(FIGURES)/elastic-rod.h5 > /dev/null
	$(BUILD)/lilyan run scenes/hanging-jelly.yaml --force -o $(FIGURES)/hanging-jelly.h5 > /dev/null
	$(BUILD)/lilyan report $(FIGURES)/pendulum.*.h5 --force -o $(FIGURES)/pendulum.html
	$(BUILD)/lilyan report $(FIGURES)/elastic-rod.h5 --force -o $(FIGURES)/elastic-rod.html
	$(BUILD)/lilyan report $(FIGURES)/hanging-jelly.h5 --force -o $(FIGURES)/hanging-jelly.html
	$(BUILD)/lilyan run scenes/gummy-bear.yaml --force -o $(FIGURES)/gummy-bear.h5 > /dev/null
	$(BUILD)/lilyan film $(FIGURES)/gummy-bear.h5 --size 400x280 --fps 15 --force -o docs/figures/gummy-bear.gif
	$(BUILD)/lilyan run scenes/keys-throw.yaml --force -o $(FIGURES)/keys-throw.h5 > /dev/null
	$(BUILD)/lilyan film $(FIGURES)/keys-throw.h5 --size 560x300 --force -o docs/figures/keys-throw.gif
	node scripts/picture.mjs $(BUILD) $(FIGURES)/pendulum.html 17.3 docs/figures/pendulum.jpg
	node scripts/picture.mjs $(BUILD) $(FIGURES)/elastic-rod.html 1.1 docs/figures/elastic-rod.jpg
	node scripts/picture.mjs $(BUILD) $(FIGURES)/hanging-jelly.html 2.75 docs/figures/hanging-jelly.jpg

integrators: build ## run four scenes with every integrator and write the tables of docs/integrators.md (some 10 minutes)
	@scripts/integrators-docs.sh $(BUILD)

fuzz: ## fuzz every reader for FUZZ_SECONDS each (300 by default)
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

# what works on several threads; each of them is small under sanitizers
TSAN_TESTS := threads pairs damping implicit iterative multilevel energy_momentum asynchronous contact solids strands
EXAMPLES := $(basename $(notdir $(wildcard examples/*.c)))
tsan: ## build with the thread sanitizer, run the tests that use threads and all examples (some 3 minutes)
	@cmake -S . -B build-tsan -DLILYAN_TESTS=ON -DLILYAN_SANITIZE_THREAD=ON $(CMAKE_FLAGS) > /dev/null
	@cmake --build build-tsan -j $(JOBS) --target tests $(EXAMPLES:%=example_%)
	@for t in $(TSAN_TESTS); do echo "$$t:" && \
	    LIL_TEST_SMALL=1 TSAN_OPTIONS=halt_on_error=1 build-tsan/tests/test_$$t || exit 1; done
	@cd build-tsan/examples && for e in $(EXAMPLES); do echo "$$e:" && TSAN_OPTIONS=halt_on_error=1 ./$$e || exit 1; done

format: ## format all C files in place
	@scripts/format.sh

install: ## install to PREFIX (and below DESTDIR, if given)
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS) > /dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@cmake --install $(BUILD)

clean: ## remove everything that was built
	rm -rf build build-asan build-tsan

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 14

.PHONY: build demo test bits browser bench gallery figures integrators fuzz tsan format install clean help
