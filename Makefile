# make play     sit down at a table at once: everything is set up, started and, when you quit, stopped
# make serve    host tables for others on this machine's network
# make test     set up and pass all checks and tests
# make help     the other targets

PYTHON ?= python3
BIN := .venv/bin
PORT ?= 8080
HOST ?= 0.0.0.0
# How many tests run side by side: a number, or auto for one a processor.
WORKERS ?= auto
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help play serve setup test lint types test-rules test-rest test-faults test-cluster test-slow bench bots golden wheel clean

help:
	@sed -n 's/^# \(make .*\)/\1/p' $(MAKEFILE_LIST)

# make setup    only set up the environment in .venv
setup: .venv/installed

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo 'Python 3.11 or newer is needed; name another one with: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -m venv .venv || \
		{ rm -rf .venv; echo 'Python cannot make virtual environments here; on Debian: apt install python3-venv' >&2; exit 1; }

.venv/installed: .venv/bin/python pyproject.toml
	@echo 'Setting up (once) ...'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fast]'
	@touch $@

.venv/installed-dev: .venv/installed pyproject.toml
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fast,dev]'
	@tests/system-packages
	@touch $@

play: .venv/installed
	@$(BIN)/hearts local

serve: .venv/installed
	@$(BIN)/hearts-server --host $(HOST) --port $(PORT)

test: lint types test-rules test-rest

# make lint     format and lint checks
lint: .venv/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

# make types    mypy strict on all packages, pyright strict on rules
types: .venv/installed-dev
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python

# make test-rules  the rules, with their branch coverage
test-rules: .venv/installed-dev
	$(PYTEST) tests/rules -n $(WORKERS) -m 'not slow' --cov=rules --cov-branch --cov-report=term:skip-covered --cov-fail-under=100

# make test-rest   everything else but the long forms
test-rest: .venv/installed-dev
	$(PYTEST) tests --ignore=tests/rules -n $(WORKERS) -m 'not slow'

# make test-faults [TIMES=n]  break things at random moments, n times as often as `make test` does
TIMES ?= 5
test-faults: .venv/installed-dev
	FAULT_TIMES=$(TIMES) $(PYTEST) tests/faults

# make test-cluster  Redis Cluster and Sentinel
test-cluster: .venv/installed-dev
	$(PYTEST) tests -m cluster

# make test-slow   the long forms: thousands of hands, many tables
test-slow: .venv/installed-dev
	$(PYTEST) tests -n $(WORKERS) -m slow

# make bench    measure, and write docs/performance.md
bench: .venv/installed-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check open-spiel || \
		echo 'OpenSpiel is not to be had here: the rules are measured without a yardstick' >&2
	$(BIN)/python -m tests.load.bench

# make bots     let the bots' levels play each other, and write docs/bots.md
bots: .venv/installed-dev
	$(BIN)/python -m tests.load.bots_match

# make golden   rewrite the golden files after a change of what they show; look at the difference
golden: .venv/installed-dev
	$(PYTEST) tests -k golden --rewrite-golden

# make wheel    build dist/*.whl
wheel: .venv/installed-dev
	$(BIN)/python -m build

# make clean    remove what was set up and built; the data of a server in data/ stays
clean:
	rm -rf .venv dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis
