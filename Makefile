# Every target sets itself up: a virtual environment in .venv, made again when what it is made
# from changes. PYTHON chooses the interpreter; CONSTRAINTS= (empty) takes the newest versions.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS ?= constraints.txt
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WITH := $(if $(CONSTRAINTS),--constraint $(CONSTRAINTS),)
TSC := npx --yes --package typescript@5 tsc
MADE_FROM := pyproject.toml $(CONSTRAINTS) Makefile

.PHONY: help play test lint browser format bench gallery warm clean

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 10

play: $(VENV)/.ready  ## serve the games on localhost and open the page
	@$(BIN)/storeys serve --open

test: lint  ## run the linters, then all tests but those in a browser
	@$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(VENV)/.ready-dev  ## ruff, mypy, the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@if $(TSC) --version >/dev/null 2>&1; then $(TSC) -p src/storeys/web/static 2>/dev/null; \
		else echo "The pages' script is not type-checked: npx (Node.js) or its registry is missing"; fi

browser: $(VENV)/.ready-dev  ## run the tests of the pages in Chromium; installs it if that may be done
	@command -v chromium chromium-browser google-chrome >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get install -y -q chromium >/dev/null 2>&1; } || \
		echo "Tests in a browser are skipped: no Chromium is installed (Debian: apt-get install chromium)"
	@STOREYS_BROWSER=1 $(BIN)/python -m pytest tests/test_web_browser.py

format: $(VENV)/.ready-dev  ## lay the code out
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.ready-bench  ## measure speed beside the peers; about ten minutes
	@$(BIN)/python -m benchmarks

gallery: $(VENV)/.ready-dev  ## draw docs/gallery anew from matches of every variant
	@$(BIN)/python tools/make_gallery.py docs/gallery

warm: $(VENV)/.ready  ## compile all games ahead
	@$(BIN)/storeys warm

clean:  ## remove the virtual environment and what tools left behind
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis dist

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "storeys needs Python 3.11 or newer: make PYTHON=python3.12 …"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
		{ echo "Python's venv module is missing: install it (Debian: apt-get install python3-venv)"; exit 1; }

$(VENV)/.ready: $(BIN)/python $(MADE_FROM)
	@echo "Setting up $(VENV) …"
	@$(PIP) install $(WITH) --editable '.[web]'
	@touch $@

$(VENV)/.ready-dev: $(BIN)/python $(MADE_FROM)
	@echo "Setting up $(VENV) with the tools for tests …"
	@$(PIP) install $(WITH) --editable '.[dev]'
	@touch $@ $(VENV)/.ready

$(VENV)/.ready-bench: $(BIN)/python $(MADE_FROM)
	@echo "Setting up $(VENV) with the peers …"
	@$(PIP) install $(WITH) --editable '.[dev,bench]'
	@touch $@ $(VENV)/.ready $(VENV)/.ready-dev
