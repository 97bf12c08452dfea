# Every target sets itself up: a virtual environment in .venv, made again when what it is made
# from changes. PYTHON chooses the interpreter; CONSTRAINTS= (empty) takes the newest versions.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS ?= constraints.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install
# uv is several times as quick, where it is there and reaches the packages; it compiles bytecode too.
UV := $(shell command -v uv 2>/dev/null)
INSTALL = $(if $(UV),$(UV) pip install --quiet --compile-bytecode --python $(BIN)/python $(1) 2>/dev/null ||) $(PIP) $(2) $(1)
WITH := $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS),)
TSC := npx --yes --package typescript@5 tsc
POSITIONS ?= 20000
MINUTES ?= 60
BENCH := .[dev,bench]
MADE_FROM := pyproject.toml $(CONSTRAINTS) Makefile
# What tells within a minute that a rule, a sentence or the house is broken, without the compiler.
QUICK := house zones shapes messages glossary rules_coverage docstrings contract components dealing hidden \
	manhattan_rules manhattan_corners manhattan_positions cloud_city_rules cloud_city_corners \
	neoville_rules neoville_corners tiles_corners

.PHONY: help play quick test compiled proof soak mutants lint checks audit hooks chromium browser format bench \
	gallery screenshots warm clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

play: $(VENV)/.ready  ## serve the games on localhost and open the page
	@$(BIN)/storeys serve --open

quick: checks  ## run the linters and the quick tests: under a minute, no browser
	@STOREYS_UNCOMPILED=1 $(BIN)/python -m pytest -q -n auto --dist worksteal $(QUICK:%=tests/test_%.py)

# Three at a time on two cores: many tests wait for a server or for a process.
test:  ## run the linters, then all tests, those in Chromium last
	@$(MAKE) --no-print-directory -j 2 $(VENV)/.ready-dev chromium
	@$(MAKE) --no-print-directory -j 2 lint compiled
	@$(BIN)/python -m pytest -n 3 --dist worksteal --ignore tests/browser
	@$(BIN)/python -m pytest -n 3 --dist load tests/browser

# The attacks come last: nothing else should keep the cores busy while they last.
proof: $(VENV)/.ready-dev chromium  ## the long form of tests: POSITIONS made positions of each game, all variants, attacks
	@STOREYS_PROOF=$(POSITIONS) $(BIN)/python -m pytest -n auto --dist worksteal \
		tests/test_constructed_positions.py tests/test_check_game.py tests/test_gains.py \
		tests/test_positions.py tests/test_shared_views.py tests/test_*_referee.py
	@STOREYS_PROOF=$(POSITIONS) $(BIN)/python -m pytest -n auto --dist worksteal -m proof \
		--ignore tests/attacks --ignore tests/browser
	@STOREYS_PROOF=$(POSITIONS) $(BIN)/python -m pytest -n auto --dist worksteal tests/attacks/test_fuzz.py
	@STOREYS_PROOF=$(POSITIONS) $(BIN)/python -m pytest -n 2 --dist load \
		tests/browser/test_matches.py tests/browser/test_access.py tests/browser/test_fits.py
	@STOREYS_PROOF=$(POSITIONS) $(BIN)/python -m pytest -n 2 --dist load -rA tests/attacks --ignore tests/attacks/test_fuzz.py

soak: $(VENV)/.ready-dev  ## let people and bots play for MINUTES: do memory, files and threads stay flat?
	@STOREYS_SOAK=$(MINUTES) $(BIN)/python -m pytest -s tests/attacks/test_soak.py -k nothing_grows

# A process for each game: the tests' processes would all compile the same.
compiled: $(VENV)/.ready-dev
	@$(BIN)/python -c 'import storeys; print(*storeys.game_names()[::-1])' | \
		xargs -n 1 -P 2 $(BIN)/storeys warm >/dev/null

# Goes on where it stopped; FRESH=1 forgets what is known, ARGS passes options on.
mutants: $(VENV)/.ready-dev  ## change the rules one spot at a time: does a test notice? tens of minutes
	@nice -n 10 $(BIN)/python -m tools.mutants $(if $(FRESH),--fresh) $(ARGS)

lint: checks  ## ruff, mypy, the direction of imports, the pages' script
	@if $(TSC) --version >/dev/null 2>&1; then $(TSC) -p src/storeys/web/static 2>/dev/null; \
		else echo "The pages' script is not type-checked: npx (Node.js) or its registry is missing"; fi

checks: $(VENV)/.ready-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache

# Never fails for want of a network: it says so and goes on.
audit: $(VENV)/.ready-dev  ## ask whether a version of constraints.txt has a known fault; a minute at most
	@$(call INSTALL,$(WITH) --editable '.[audit]') 2>/dev/null || true
	@$(BIN)/python -m tools.audit

hooks: $(VENV)/.ready-dev  ## let Git run the linters before every commit, mypy before every push
	@$(BIN)/pre-commit install --hook-type pre-commit --hook-type pre-push

browser: $(VENV)/.ready-dev chromium  ## run only the tests in Chromium
	@$(BIN)/python -m pytest -n 3 --dist load tests/browser

# Installed where that may be done without asking; otherwise the tests say what they skip.
chromium:
	@for name in chromium-headless-shell chromium chromium-browser google-chrome; do \
		command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then echo "Installing Chromium …"; \
		for name in chromium-headless-shell chromium; do \
			{ apt-get install -y -q $$name || { apt-get update -q && apt-get install -y -q $$name; }; } \
			>/dev/null 2>&1 && exit 0; done; fi; \
	echo "Tests in a browser are skipped: no Chromium is installed (Debian: apt-get install chromium)"

format: $(VENV)/.ready-dev  ## lay the code out
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.ready-bench  ## measure speed beside the peers; about forty minutes
	@$(BIN)/python -m benchmarks

gallery: $(VENV)/.ready-dev  ## draw docs/gallery anew from matches of every variant
	@$(BIN)/python tools/make_gallery.py docs/gallery

screenshots: $(VENV)/.ready-dev chromium  ## take the README's pictures of the pages anew
	@$(BIN)/python -m tools.make_screenshots docs/screens

warm: $(VENV)/.ready  ## compile all games ahead
	@$(BIN)/storeys warm

clean:  ## remove the virtual environment and what tools left behind
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .screenshots .mutants dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "storeys needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python's venv module is missing: install it (Debian: apt-get install python3-venv)"; exit 1; }

$(VENV)/.ready: $(BIN)/python $(MADE_FROM)
	@echo "Setting up $(VENV) …"
	@$(call INSTALL,$(WITH) --editable '.[web]')
	@touch $@

# Bytecode comes with the first import: to compile all of it would double pip's minute.
$(VENV)/.ready-dev: $(BIN)/python $(MADE_FROM)
	@echo "Setting up $(VENV) with the tools for tests …"
	@$(call INSTALL,$(WITH) --editable '.[dev]',--no-compile)
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-bench: $(BIN)/python $(MADE_FROM)
	@echo "Setting up $(VENV) with the peers …"
	@$(call INSTALL,$(WITH) --editable '$(BENCH)')
	@touch $@ $(VENV)/.ready $(VENV)/.ready-dev
