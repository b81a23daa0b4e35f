# Everyday commands. Only Python 3.11 or later is needed; the first call of each makes what it needs in .venv.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/done
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: help demo test lint docs bench calibrate faults clean
.NOTPARALLEL:

help:
	@echo "make demo       compare three learners on a bundled data set and write a report"
	@echo "make test       run the tests"
	@echo "make lint       check style, types, layers, spelling and docstrings"
	@echo "make docs       build the documentation into docs/_build/html"
	@echo "make bench      time errbar against plain scikit-learn and other packages"
	@echo "make calibrate  check sizes and coverage by simulation (long)"
	@echo "make faults     plant faults in the methods and see that the tests find each (long)"
	@echo "make clean      remove everything that was built"

demo: $(DONE)/app
	$(BIN)/errbar demo

test: $(DONE)/test
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS)

calibrate: $(DONE)/test
	$(BIN)/python -m pytest -m slow

faults: $(DONE)/test
	$(BIN)/python -m tests.faults

lint: $(DONE)/lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell
	$(BIN)/numpydoc lint $$(find src/errbar -name '*.py')

docs: $(DONE)/docs
	$(BIN)/sphinx-build -W --keep-going -n -b html docs docs/_build/html

bench: $(DONE)/bench
	@for script in benchmarks/engine.py benchmarks/statistics.py benchmarks/lab.py benchmarks/scheduler.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

clean:
	rm -rf $(VENV) docs/_build docs/generated build dist errbar-demo.html .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per set of packages: nothing is done twice, and a changed pyproject.toml installs again.
$(DONE)/pip:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; try make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade 'pip>=25.1'
	mkdir -p $(DONE)
	touch $@

$(DONE)/app: pyproject.toml | $(DONE)/pip
	$(PIP) --editable '.[app]'
	touch $@

$(DONE)/lint $(DONE)/docs $(DONE)/bench: $(DONE)/%: pyproject.toml | $(DONE)/pip
	$(PIP) --editable '.[app,lab,cluster]' --group $*
	touch $@

# Tests look at the documentation too.
$(DONE)/test: pyproject.toml | $(DONE)/pip
	$(PIP) --editable '.[app,lab,cluster]' --group test --group docs
	touch $@
