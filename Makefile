# Everyday commands. Only Python 3.11 or later is needed; the first call of each makes what it needs in .venv.

PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
BIN := $(VENV)/bin
DONE := $(VENV)/done
# make lint LOCKED=1 and the like install what requirements-dev.lock says.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet $(if $(LOCKED),--constraint requirements-dev.lock)

# Tests start many processes, and each would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

EVERYDAY := not long and not thorough and not slow

.PHONY: help demo test test-long test-thorough lowest windows-names lint docs bench calibrate faults floors lock dist clean
.NOTPARALLEL:

help:
	@echo "make demo           compare three learners on a bundled data set and write a report"
	@echo "make test           run the tests"
	@echo "make test-long      what runs for seconds each: browsers, processes, kills, damage, clusters, the laboratory, every plot and page"
	@echo "make test-thorough  further cases of what make test-long does once: more kills, faults, clusters, terminals, studies"
	@echo "make lowest         run the demo and nearly all tests with the lowest versions of dependencies that are allowed"
	@echo "make windows-names  run the tests that every system passes, without the names that Windows lacks"
	@echo "make lint           check style, types, layers, spelling and docstrings"
	@echo "make docs           build the documentation into docs/_build/html"
	@echo "make bench          time errbar against plain scikit-learn and other packages"
	@echo "make calibrate      check sizes and coverage by simulation (long)"
	@echo "make faults         plant faults in the methods and see that the tests find each (long)"
	@echo "make floors         write the list of packages into CONTRIBUTING.md"
	@echo "make lock           pin the packages for development in requirements-dev.lock"
	@echo "make dist           build sdists and wheels of errbar and errbar-lab, check them, and use each in an empty environment"
	@echo "make clean          remove everything that was built"

demo: $(DONE)/app
	$(BIN)/errbar demo

test: $(DONE)/test
	$(BIN)/python -m pytest -m "$(EVERYDAY)" -n $(WORKERS)

test-long: $(DONE)/test
	$(BIN)/python -m pytest -m "long and not thorough and not slow" -n $(WORKERS) tests
	$(BIN)/python -m pytest -n $(WORKERS) lab/src

test-thorough: $(DONE)/test
	$(BIN)/python -m pytest -m "thorough and not slow" -n $(WORKERS) tests
	ERRBAR_TEST_EXAMPLES=200 $(BIN)/python -m pytest -m "$(EVERYDAY)" -k "law or obey or property or properties" -n $(WORKERS) tests

# Warnings of later versions about names that lowest ones use are no errors. What is left out needs Sphinx, a browser, Dask or numba,
# or, as the corpus, has the digits of later versions.
LOWEST := $(addprefix --ignore=tests/,browser corpus docs lab notebook cli/test_cluster.py cli/test_kill_campaigns.py fits/test_workers.py \
	fits/test_shared.py fits/test_same_bits.py test_house.py test_structure.py)

lowest: $(VENV)-lowest/done
	cd $(VENV)-lowest && bin/errbar demo --quiet
	$(VENV)-lowest/bin/python -m pytest -m "$(EVERYDAY)" -n $(WORKERS) -W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning $(LOWEST) tests

windows-names: $(DONE)/test
	$(BIN)/python -m tests.windows_names -n $(WORKERS)

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
	$(BIN)/numpydoc lint $$(find src/errbar lab/src/errbar_lab -name '*.py')

docs: $(DONE)/docs
	$(BIN)/sphinx-build -E -W --keep-going -n -b html docs docs/_build/html

bench: $(DONE)/bench
	@for script in benchmarks/fits.py benchmarks/answers.py benchmarks/lab.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

floors: $(DONE)/pip
	$(BIN)/python tools/floors.py

# For every system and every Python that is supported; it names no place from which packages come.
lock: $(DONE)/release
	$(BIN)/python -m uv pip compile pyproject.toml lab/pyproject.toml --no-emit-package errbar --quiet --upgrade --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
		--extra app --extra cluster --group test --group lint --group docs --group bench --group release --output-file requirements-dev.lock

dist: $(DONE)/release
	$(BIN)/python tools/dist.py

clean:
	rm -rf $(VENV) $(VENV)-lowest docs/_build docs/generated build dist lab/dist errbar-demo.html .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src lab tests -name __pycache__ -type d -prune -exec rm -rf {} +

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

$(DONE)/lint $(DONE)/docs $(DONE)/bench: $(DONE)/%: pyproject.toml lab/pyproject.toml | $(DONE)/pip
	$(PIP) --editable '.[app,cluster]' --editable ./lab --group $*
	touch $@

# Tests look at the documentation too.
$(DONE)/test: pyproject.toml lab/pyproject.toml | $(DONE)/pip
	$(PIP) --editable '.[app,cluster]' --editable ./lab --group test --group docs
	touch $@

# What makes a release does not need errbar itself.
$(DONE)/release: pyproject.toml | $(DONE)/pip
	$(PIP) --group release
	touch $@

$(VENV)-lowest/done: pyproject.toml lab/pyproject.toml
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip --disable-pip-version-check install --quiet uv
	$(VENV)-lowest/bin/uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct --editable '.[app]' --group lowest
	$(VENV)-lowest/bin/uv pip install --quiet --python $(VENV)-lowest/bin/python --no-deps --editable ./lab
	touch $@
