# The front door. Meson and ninja do the work; `make` sets them up.
#
#   make            build/heddle, build/libheddle.{so,a}, build/libheddle-verify.{so,a}
#   make demo       a bug is caught, and explained
#   make test       everything that must hold; ends with "N passed, N failed"
#   make bench      the figures of docs/performance.md
#   make bench-history   those about plain histories; HISTORIES=, PORCUPINE=, FASTLIN=: see tools/run-bench-history
#   make bench-control   those about verifying controllers
#   make bench-control-speed   those about generated code for controllers
#   make stress-control   RUNS=300 of every generated controller, with a watchdog; see tools/run-stress-control
#   make random-control, make mutations-control   the two large tests of controllers, with what came of them
#   make bench-monitor   what heddle-cc and looking for races cost; VALGRIND=1 too: see tools/run-bench-monitor
#   make bench-prove     SUITE=folder: heddle prove beside Boogie; see tools/run-bench-prove
#   make annotations     the table of docs/annotations.md
#   make install    prefix=/usr/local (or PREFIX=), DESTDIR=
#   make fuzz       FUZZ_SECONDS=300 for each target
#   make format, make lint, make clean
#
# BUILD=folder builds elsewhere.

BUILD ?= build
PREFIX ?= /usr/local
prefix ?= $(PREFIX)
DESTDIR ?=
FUZZ_SECONDS ?= 300
RANDOM_CASES ?= 10000

.PHONY: all demo test bench bench-history bench-monitor bench-prove bench-control bench-control-speed stress-control random-control mutations-control annotations install fuzz format lint clean
.DELETE_ON_ERROR:

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

# A build folder that meson could not finish has no build.ninja: it is set up again from the start.
$(BUILD)/build.ninja:
	@tools/setup build
	@if [ -d $(BUILD)/meson-private ]; then meson setup --wipe $(BUILD); else meson setup $(BUILD); fi

demo: all
	@BUILD=$(abspath $(BUILD)) examples/demo

test:
	@tools/setup build test
	@BUILD=$(abspath $(BUILD)) tools/run-tests

bench:
	@tools/setup build bench
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) tools/run-bench

bench-history annotations:
	@tools/setup build test
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) tools/$(if $(filter annotations,$@),annotations,run-bench-history)

bench-control:
	@tools/setup build
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) tools/run-bench-control

bench-control-speed bench-prove stress-control: all
	@BUILD=$(abspath $(BUILD)) tools/run-$@

# RANDOM_CASES controllers, in minutes; every mistake in the paper's controllers, with a replay of each.
random-control mutations-control: all
	@HEDDLE_SYMBOLIC_CASES=$(RANDOM_CASES) HEDDLE_MUTATIONS=all $(BUILD)/tests/test_$(if $(filter random-control,$@),symbolic_random,control_mutations)

bench-monitor:
	@tools/setup build test
	@$(MAKE) --no-print-directory all
	@BUILD=$(abspath $(BUILD)) tools/run-bench-monitor

install: all
	@meson configure $(BUILD) -Dprefix=$(prefix)
	@DESTDIR=$(DESTDIR) meson install -C $(BUILD)

fuzz:
	@tools/setup build test
	@BUILD=$(abspath $(BUILD)) FUZZ_SECONDS=$(FUZZ_SECONDS) tools/run-fuzz

format:
	@tools/setup lint
	@git ls-files -co --exclude-standard '*.c' '*.h' | xargs clang-format -i

lint: all
	@tools/setup lint
	@BUILD=$(abspath $(BUILD)) tools/run-lint

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-clang $(BUILD)-fuzz
