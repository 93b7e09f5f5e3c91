# On a fresh Debian with Python 3.11 (as root or with sudo): `make demo` shows pagelens at work, `make test` tests it.

BIN := .venv/bin
# Two browsers at a time; tests of one file share a server. In our own order: see tests/conftest.py.
PYTEST := $(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

# Where it is set, every run and every server under test would compile all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup browser demo test test-all check bench clean

setup: .venv/ready browser

.venv/ready: pyproject.toml scripts/setup
	PYTHON="$(PYTHON)" scripts/setup
	@touch $@

# Says which browser is there, or installs one where apt can.
browser: .venv/ready
	@$(BIN)/pagelens install-browser

# The main job with a real MCP client, on pages from examples/demo.
demo: setup
	@$(BIN)/python examples/demo/run.py

# On a busy machine a real browser is now and then slower than any test allows for: what fails is run once more, by
# itself in the record (R), so that it can be looked into. The long form does not.
test: setup
	$(PYTEST) --reruns 1 -r fER

# The long form: 100 repetitions, and all reference data must be there (../shared/data or PAGELENS_TEST_DATA).
test-all: setup
	$(PYTEST) --long --require-data

check: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Ours and two peers in one run (Node and npm needed): about 15 minutes on a quiet machine. `make bench BENCH=quick`
# gives a first impression.
bench: setup .venv/bench-ready
	$(BIN)/python -m benchmarks $(BENCH)
	$(BIN)/python -m benchmarks.data_formats

.venv/bench-ready: pyproject.toml .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bench]' </dev/null
	@touch $@

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
