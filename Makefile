# make demo    recorded play judged, in three languages       make checks  lint, wheel, types, slow tests
# make test    the fast tests                                 make deep    long runs, never in CI
# The first of them makes .venv and installs everything; to use another Python: make test PY=python3.13

PY ?= python3
JOBS ?= 2
TIMES ?= /dev/null

BIN := .venv/bin
STAMP := .venv/.installed
PYTEST := $(BIN)/python -m pytest -q

DEMO_BOOK := osmica
DEMO_LOG := tests/data/rack_1.log.jsonl
DEMO_LANGS := en sr tr

CHECKS := lint demo slow

.PHONY: help venv demo test checks lint slow wheel deep clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^# //p' $(firstword $(MAKEFILE_LIST))

venv: $(STAMP)

# The pinned setuptools builds the package, so that nothing unpinned takes part.
$(STAMP): pyproject.toml constraints.txt
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Tefter needs Python 3.11 or newer: make PY=...")'
	@test -x $(BIN)/python || $(PY) -m venv .venv
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt setuptools
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt --no-build-isolation -e '.[test]'
	@touch $@

demo: venv
	@for lang in $(DEMO_LANGS); do \
	  printf '\n$$ tefter judge %s %s --lang %s\n\n' $(DEMO_BOOK) $(DEMO_LOG) $$lang; \
	  $(BIN)/tefter judge $(DEMO_BOOK) $(DEMO_LOG) --lang $$lang || exit 1; \
	done

test: venv
	$(PYTEST) -n $(JOBS) --dist loadgroup

# Each check in turn; a line with its seconds is added to the file $(TIMES).
checks: venv
	@for check in $(CHECKS); do \
	  started=$$(date +%s); \
	  $(MAKE) --no-print-directory $$check || exit 1; \
	  printf '%6d s  make %s\n' $$(($$(date +%s) - started)) $$check >> $(TIMES); \
	done

lint: venv
	$(BIN)/ruff check .

# With the wheel in a clean environment, types, and the mutation run.
slow: venv
	$(PYTEST) -n $(JOBS) --dist loadgroup -m slow --durations 15

# Of `slow` only what is about the wheel and the types.
wheel: venv
	$(PYTEST) -m slow tests/test_packaging.py

deep: venv
	$(PYTEST) -n $(JOBS) --dist loadgroup -m deep --hypothesis-profile deep

clean:
	rm -rf .venv build dist tefter.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
