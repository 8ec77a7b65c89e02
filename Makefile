# Everything a developer or a curious person needs, from a fresh clone.
#   make demo    set up and score three systems on built-in documents
#   make test    set up and run the checks: ruff, mypy --strict, pytest
#   make test-long   set up and run the tests that take long: simulations, kills, whole weeks of use, and properties
#                    on ten times as many examples
#   make site    build the documentation site, build/site/index.html
#   make bench   run every benchmark that finds its data
#   make fuzz    read 100,000 damaged files of every kind that the program writes (hours; goes on where it was stopped), and keep
#                the counts in SECURITY.md
#   make sanitize   run the native core's own tests under ASan, UBSan and TSan, and damaged files through Python
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-long lint pytest site bench fuzz sanitize clean

demo: $(VENV)/installed
	$(BIN)/anaphor demo

# mypy uses one core for a minute, so it runs beside the tests.
test: $(VENV)/developing
	@$(MAKE) --no-print-directory -j2 lint pytest SELECT='-m "not slow" $(SELECT)'

test-long: $(VENV)/developing
	@$(MAKE) --no-print-directory pytest SELECT='-m "slow or hypothesis" --hypothesis-profile=long $(SELECT)'

# One process more than there are cores: a test that waits for a browser or a server leaves its core idle.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')

# worksteal gives each process whole modules, so that few fixtures are built twice, and no process idles at the end.
# One thread each: networks that are trained with several in every process wait for each other most of the time.
# Asserts are left plain, because rewriting those of all tests takes each process 15 seconds. What fails is run
# once more with asserts that say what they compared, and has failed all the same.
PYTEST := PATH="$(CURDIR)/$(BIN):$$PATH" OMP_NUM_THREADS=1 $(BIN)/python -m pytest
pytest: $(VENV)/developing
	$(PYTEST) -n $(WORKERS) --dist worksteal --assert=plain $(SELECT) \
	  || { $(PYTEST) --last-failed --last-failed-no-failures none -q $(SELECT); exit 1; }

lint: $(VENV)/developing
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

site: $(VENV)/documenting
	$(BIN)/python -m sphinx -q -W --keep-going -j auto -c docs -d build/doctrees . build/site
	@echo build/site/index.html

bench: $(VENV)/developing
	for script in benchmarks/*/run.py; do $(BIN)/python $$script || exit 1; done

# Readers at work at the same time.
JOBS ?= 1
fuzz: $(VENV)/developing
	$(BIN)/python -m tests.fuzz --mutations 100000 --jobs $(JOBS) --write

sanitize: $(VENV)/developing
	$(BIN)/pip install --quiet nanobind
	PYTHON=$(BIN)/python WRITE=1 sh native/tests/sanitize.sh

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# pip is quiet about a failed compilation, so we are not.
ENGINE := $(BIN)/anaphor list | grep '^engine'

# A change of the sources installs again; the stamps say what the environment holds.
SOURCES := pyproject.toml CMakeLists.txt $(shell find src native packages -type f -not -name '*.pyc' 2>/dev/null)

# The models trained on everything; what the pages show is computed with them.
RESEARCH := $(wildcard ./packages/anaphor-research)

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet . $(RESEARCH)
	@$(ENGINE)
	touch $@

$(VENV)/developing: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet '.[dev,neural]' $(RESEARCH) \
	  || { echo 'torch cannot be had here: tests of neural predictors will be skipped'; $(BIN)/pip install --quiet '.[dev]' $(RESEARCH); }
	@$(ENGINE)
	touch $@ $(VENV)/documenting $(VENV)/installed

$(VENV)/documenting: $(BIN)/python $(SOURCES)
	$(BIN)/pip install --quiet '.[site]' $(RESEARCH)
	touch $@ $(VENV)/installed
