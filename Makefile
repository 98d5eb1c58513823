# The two commands of the README, `make demo` and `make check`, and a few more; `make help` lists them.
# The building itself is CMake's (CMakePresets.json, CMakeLists.txt).

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
ATTACK_SECONDS ?= 3600
export FUZZ_SECONDS ATTACK_SECONDS

.PHONY: help demo check check-fast check-long build setup install format interface clean

help:
	@sed -n 's/^## //p' Makefile

## make demo               set up, build, generate a graph of a million vertices and show what it is
demo: build
	@tools/demo.sh

## make check              set up, build three ways (release, asan, tsan), run all tests; half an hour
check:
	@tools/setup.sh test
	@tools/check.sh

## make check-fast         the release build and its quick tests: for work in between; 3 minutes at most
check-fast:
	@tools/setup.sh test
	@tools/check.sh fast

## make check-long         long fuzzing (FUZZ_SECONDS=600 for each target), random attacks (ATTACK_SECONDS=3600), soaks, large graphs
check-long:
	@tools/setup.sh test
	@tools/check.sh long

## make build              set up and build; the command is then build/release/meguri
build:
	@tools/setup.sh build
	@tools/build.sh release -D MEGURI_TESTS=OFF -D MEGURI_BENCH=OFF

## make setup              install the packages for building and testing, if any is missing; none with MEGURI_SETUP=skip
setup:
	@tools/setup.sh test

## make install            into PREFIX=/usr/local (and under DESTDIR, if that is set)
install: build
	@cmake --install build/release --prefix "$(PREFIX)"

## make format             clang-format over all C files
format:
	@tools/format.sh

## make interface          add to tests/abi/interface.txt what the public headers have and it has not
interface:
	@python3 -B tests/abi/abi.py $${CC:-cc} --write

## make clean              remove build/
clean:
	@rm -rf build
