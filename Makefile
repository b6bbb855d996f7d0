# Every target runs in .venv, which is made from requirements.lock and from nothing else.
# `make` alone lists the targets. `setup` compares contents, not times: a touched file, a fresh
# checkout or a wrong clock rebuilds nothing, and a setup that was cut short does not count.

PROFILE ?= quick
SWEEP ?= configs/sweep_diversity_pool.yaml
BROWSER ?= $(shell for name in chromium chromium-browser google-chrome; do command -v $$name; done | head -n 1)
# Candidates, in this order; the first that fits makes .venv.
PYTHON ?= python3 python3.12 python3.13 python3.11 python

RUN := .venv/bin/python
PROBE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
fitting = $(firstword $(foreach name,$(PYTHON),$(shell $(name) -c '$(PROBE)' >/dev/null 2>&1 && echo $(name))))
no_python = $(error No Python 3.11, 3.12 or 3.13 with its venv module among: $(PYTHON). \
	Install one, or name it: make setup PYTHON=path/to/python3.12)

# Neither the user's Python settings, nor global kernels, nor the locale have a say.
unexport PYTHONPATH PYTHONHOME JUPYTER_PATH
export PYTHONUTF8 := 1
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export JUPYTER_PREFER_ENV_PATH := 1

.PHONY: help setup environment project data test test-browser lint reproduce publish audit sweep lab bench docs clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "  PROFILE=smoke (2 minutes), quick (15 minutes, the default) or paper (the full protocol)"
	@echo "  is read by reproduce and publish."

setup: ## Make .venv from the lock (about 3 minutes; at once when nothing changed); the others call it
	@{ cmp -s requirements.lock .venv/locked && $(RUN) -c '' 2>/dev/null; } || $(MAKE) --no-print-directory environment
	@{ pwd -P; cat pyproject.toml; } | cmp -s - .venv/installed || $(MAKE) --no-print-directory project

# --no-deps: the lock is complete, and leaves out on purpose what two packages ask for (see CONTRIBUTING.md).
environment:
	@umask 022 && python="$(or $(fitting),$(no_python))" && \
		echo "setup: making .venv with $$python ($$($$python --version))" && \
		$$python -m venv --clear .venv
	@echo "setup: installing the packages of requirements.lock, about 3 minutes"
	@umask 022 && $(RUN) -m pip install --quiet --no-input --no-deps --require-hashes -r requirements.lock
	@umask 022 && cp requirements.lock .venv/locked

project:
	@echo "setup: installing mlrx from this checkout"
	@umask 022 && $(RUN) -m pip install --quiet --no-input --no-deps --no-build-isolation -e .
	@umask 022 && { pwd -P; cat pyproject.toml; } > .venv/installed
	@echo "setup: done"

data: setup ## Fetch every data set that has an address (checksums enforced)
	$(RUN) -m mlrx.datasets fetch

test: lint ## Lint, then run all tests, a file at a time on each core
	$(RUN) -m pytest -n auto --dist loadfile --no-loadscope-reorder

test-browser: ## Run the quick start in JupyterLab, in Chromium without a window (installs nothing)
	@cmp -s requirements.lock .venv/locked || \
		{ echo "test-browser: .venv is missing or not made from requirements.lock; make it: make setup" >&2; exit 1; }
	@test -n "$(BROWSER)" || \
		{ echo "test-browser: no Chromium on the path; on Debian: apt-get install -y --no-install-recommends chromium," \
		"or name one: make test-browser BROWSER=path/to/chromium" >&2; exit 1; }
	MLRX_BROWSER="$(BROWSER)" $(RUN) -m pytest tests/browser

lint: setup ## Check style and format
	@$(RUN) -m ruff check
	@$(RUN) -m ruff format --check

reproduce: setup ## Run all studies in PROFILE; tables go to results/PROFILE, the report to results
	$(RUN) -m experiments reproduce --profile $(PROFILE)

publish: setup ## Replace the tracked tables, README's included, by those of PROFILE
	$(RUN) -m experiments publish --profile $(PROFILE)

audit: setup ## Try to refute every proven rule of one fold of four forests
	$(RUN) -m experiments audit

sweep: setup ## Run a notebook over a grid of parameters: SWEEP=configs/NAME.yaml
	$(RUN) -m experiments sweep $(SWEEP)

lab: setup ## Open JupyterLab on the notebooks, with the kernel of .venv
	$(RUN) -m jupyterlab notebooks $(if $(filter 0,$(shell id -u)),--allow-root)

bench: setup ## Measure speed and memory against the stated bounds
	$(RUN) -m benchmarks

docs: setup ## Build the documentation site into docs/build; it opens without a server
	@rm -rf docs/build
	$(RUN) -m sphinx -q -W --keep-going -E -b html docs docs/build
	@echo "docs: open docs/build/index.html"

clean: ## Remove results that are not tracked, and caches; .venv and fetched data sets stay
	git clean -fdXq -- results
	rm -rf build dist docs/build .pytest_cache .ruff_cache .hypothesis
	find . -name .venv -prune -o \( -name __pycache__ -o -name .ipynb_checkpoints \) -type d -exec rm -rf {} +
