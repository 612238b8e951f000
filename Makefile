# The ways to use this repository. `make help` lists them.
.PHONY: help demo test soak fuzz sanitize bench format lint
export PATH := $(PATH):/opt/swift/usr/bin

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/\1 \2/p' $(MAKEFILE_LIST) | while read -r name what; do \
		printf '%-14s %s\n' "make $$name" "$$what"; done

demo: ## a room, three controllers by name, real recordings, books that add up
	@Scripts/demo.sh

test: ## install what tests need, then run all of them
	@Scripts/test.sh

soak: ## 10,000 evenings, fleets of up to 1,000 controllers for up to 10 minutes, and the long forms of the faults
	swift build -c release --product EveningCheck && .build/release/EveningCheck 1 10000
	@Scripts/soak.sh
	ROOMFUL_SOAK=1 swift test --no-parallel --filter FaultTests

fuzz: ## fuzz for 10 minutes a target
	@Scripts/fuzz.sh 600

sanitize: ## the tests under the thread and address sanitizers
	@Scripts/sanitize.sh

bench: ## speed beside a bare C loop, in one run
	swift run -c release DatagramBenchmark
	swift run -c release MotionBenchmark
	swift run -c release PhoneBenchmark
	@echo 'how fast rooms are seen, as root: swift build --product DiscoveryBenchmark && Scripts/discovery-benchmark.py'

format: ## lay out the sources as agreed
	swift format --in-place --recursive Sources Tests Examples Benchmarks Package.swift

lint: ## say what is laid out otherwise
	swift format lint --recursive Sources Tests Examples Benchmarks Package.swift
