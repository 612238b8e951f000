# The ways to use this repository. `make help` lists them.
.PHONY: help demo test optimised engines soak fuzz sanitize dist trial site bench format lint
export PATH := $(PATH):/opt/swift/usr/bin

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/\1 \2/p' $(MAKEFILE_LIST) | while read -r name what; do \
		printf '%-14s %s\n' "make $$name" "$$what"; done

demo: ## a room, three controllers by name, real recordings, books that add up
	@Scripts/demo.sh

test: ## install what tests need, then run all of them
	@Scripts/test.sh

optimised: ## the tests of the program and its pages, with the program as it is installed: the compiler errs too
	@Scripts/install-dependencies.sh --tests
	@Scripts/build-release.sh --product roomful
	@for tests in Operations Browser; do \
		ROOMFUL_PROGRAM=$(CURDIR)/.build-release/release/roomful .build-venv/bin/python -m pytest -q -n 2 --dist loadfile \
			Tests/$$tests || exit 1; done

engines: ## the phone's page and a report in Firefox and WebKit, too, with how long a scan takes to play; all pages in a whole Chromium
	@Scripts/install-dependencies.sh --tests --engines
	@swift build
	@ROOMFUL_ENGINES=firefox,webkit .build-venv/bin/python -m pytest -q -s Tests/Browser/test_engines.py Tests/Browser/test_report.py
	@ROOMFUL_CHROMIUM=/usr/bin/chromium .build-venv/bin/python -m pytest -q -n 2 --dist loadfile Tests/Browser

soak: ## 10,000 evenings, 90 days of an exhibit, fleets of up to 1,000 controllers for up to 10 minutes, and the long forms of the faults
	swift build -c release --product EveningCheck && .build/release/EveningCheck 1 10000
	swift build -c release --product SiteCheck && .build/release/SiteCheck 1 10000 && .build/release/SiteCheck --planted
	.build/release/EveningCheck --hour 21
	swift build -c release --product MonthsCheck && .build/release/MonthsCheck
	.build/release/EveningCheck --tape 60
	swift build && ROOMFUL_EVENING_MINUTES=10 .build-venv/bin/python -m pytest -q -s Tests/Operations/test_recorded_evening.py
	@Scripts/soak.sh
	Scripts/exhibit.py --minutes 60
	ROOMFUL_SOAK=1 swift test --no-parallel --filter FaultTests

fuzz: ## fuzz for 10 minutes a target
	@Scripts/fuzz.sh 600

sanitize: ## the tests under the thread and address sanitizers
	@Scripts/sanitize.sh

dist: ## a Debian package and an archive, with the documentation's pages, in dist
	@Scripts/dist.sh

trial: ## as root: the package on a Debian 12 of its own, installed, hosting by systemd, crashed, hung, rebooted, removed
	@Scripts/dist.sh
	@Scripts/try-package.sh "$$(ls -t dist/*.deb | head -n 1)"
	@Scripts/try-service.py "$$(ls -t dist/*.deb | head -n 1)"

site: ## the documentation as pages, in .build/site: the API by DocC, and the guides
	@swift build
	@Scripts/make-site.py

bench: ## speed beside what others use, in one run; writes Documentation/PERFORMANCE.md
	@Scripts/bench.py

format: ## lay out the sources as agreed
	swift format --in-place --recursive Sources Tests Examples Benchmarks Package.swift

lint: ## say what is laid out otherwise
	swift format lint --recursive Sources Tests Examples Benchmarks Package.swift
