# `make` lists what there is. A fresh Debian needs python3, python3-venv, make and git for all of it.

PYTHON ?= python3
BIN := .venv/bin
SOAK_MINUTES ?= 60
DEMO := build/demo/flask-3.0.3.tar.gz

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-dev up demo test lint check bench bench-api bench-cold bench-parse bench-push bench-quality bench-releases openapi soak clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/local.stamp ## make .venv with what the service and the command need

setup-dev: .venv/dev.stamp ## the same, with what tests and linters need

up: setup ## run the service on this machine, in the foreground
	@$(BIN)/codesage up

demo: setup $(DEMO) ## index a real package, search it, push a change, search again; under a minute
	@$(BIN)/python -m local.demo $(DEMO)

test: setup-dev ## run the tests; then the histories, alone, as they say how many they played
	$(BIN)/pytest -n auto --dist loadfile --ignore tests/model --ignore tests/machine
	$(BIN)/pytest tests/model tests/machine

lint: setup-dev ## formatting, style, types, import directions, the template
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/cfn-lint template.yaml

check: lint test ## everything CI runs

bench: setup-dev $(DEMO) ## measure; the numbers go to build/bench/*.json
	$(BIN)/python -m tests.bench.run $(DEMO)

bench-api: setup-dev $(DEMO) ## what a question costs beside the engine, and fifty clients for a minute
	$(BIN)/python -m tests.bench.run api

bench-cold: setup-dev ## CPU time of each function's imports, held against boto3's
	$(BIN)/python -m tests.bench.run cold

bench-parse: setup-dev ## trees of real code: what is found of it and how fast; ONLY=go,django PROFILE=1
	$(BIN)/python -m tests.bench.run parse

bench-push: setup-dev ## push to searchable, and what it costs, in a repository of 5,000 files
	$(BIN)/python -m tests.bench.run push

bench-quality: setup-dev ## how early the entity search finds what CODESAGE_BENCH_DATA asks for
	$(BIN)/python -m tests.bench.run quality

bench-releases: setup-dev ## ten releases of two packages, replayed and held against a rebuild
	$(BIN)/python -m tests.bench.run releases

openapi: setup-dev ## write the API's description from its models
	$(BIN)/python -m local.openapi

soak: setup-dev ## histories of the model and of the real handlers, for as long as SOAK_MINUTES
	$(BIN)/python -m tests.model --histories 100000
	$(BIN)/python -m tests.machine --minutes $(SOAK_MINUTES)

clean: ## remove .venv and everything that was built; a stack's data stays
	rm -rf .venv build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# ---- how ----------------------------------------------------------------------------------------------------

.venv/uv.stamp: requirements/uv.lock
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || { \
	  echo "CodeSage needs Python 3.11, 3.12 or 3.13, and $(PYTHON) is `$(PYTHON) -V 2>&1`." >&2; \
	  echo "Name another one: make setup PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.lock
	@touch $@

# `sync` also removes what the lock lacks, so of two stamps only one is ever true. It leaves pip and uv alone.
# What the development environment has is more than the local one needs, so `setup` is content with either.
.venv/dev.stamp: .venv/uv.stamp requirements/dev.lock pyproject.toml
	$(BIN)/uv pip sync --quiet --require-hashes requirements/dev.lock
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@ .venv/local.stamp

.venv/local.stamp: .venv/uv.stamp requirements/local.lock pyproject.toml
	$(BIN)/uv pip sync --quiet --require-hashes requirements/local.lock
	$(BIN)/uv pip install --quiet --no-deps --no-build-isolation --editable .
	@rm -f .venv/dev.stamp
	@touch $@

# The source archive has docs and tests, which the wheel lacks. pip asks for its metadata even where it only
# downloads, so its build backend is needed; pinned like all else, and kept out of .venv.
$(DEMO): requirements/demo.lock | setup
	$(BIN)/pip install --quiet --disable-pip-version-check --upgrade --no-deps --require-hashes \
	  --only-binary :all: --target build/demo/backend -r $<
	PYTHONPATH=$(CURDIR)/build/demo/backend $(BIN)/pip download --quiet --disable-pip-version-check --no-deps \
	  --require-hashes --no-binary flask --no-build-isolation --dest build/demo -r $<
	@touch $@
