# Every target sets up what it needs: a machine with Python 3.11 or newer is enough.
#   make demo        deduplicate the shipped example and show the result
#   make quick       ruff, and the tests that are not marked slow: in under a minute, for use while you work
#   make test        ruff, mypy and all tests, in about six minutes on two cores: what continuous integration runs
#   make test-crash  the faults that an index must survive, twenty times as many as in `make test`: takes half an hour
#   make bench       compare with other tools: takes hours, resumes where it stopped, results in benchmarks/results
#                    make bench-speed, bench-made-10000 (any corpus), bench-sets, bench-vectors, bench-index and
#                    bench-page run parts of it
#   make docs        regenerate the generated pages, and run the notebook
# The report is tested in a real browser, and an index by the system calls it makes: `make test` installs chromium and
# strace with apt-get if they are missing and you are root. Otherwise these tests are skipped, except where CI is set.
# Tests keep their files in memory (/dev/shm) if 4 GB are free there; pytest's --basetemp sets another folder.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DEMO := .demo
PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal

# Real text, for benchmarks and for some tests, which are left out where there is none.
export LOOKALIKE_DATA ?= $(wildcard ../shared/data)

.PHONY: demo quick test test-crash check kernels browser strace java bench bench-speed bench-sets bench-vectors bench-index bench-page docs clean clean-bench

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("lookalike needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.developing: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev
	touch $@

demo: $(VENV)/.installed
	mkdir -p $(DEMO)
	$(BIN)/lookalike dedup examples/articles.jsonl --id id --keep longest --force \
		-o $(DEMO)/clean.jsonl --clusters $(DEMO)/clusters.csv --removed $(DEMO)/removed.jsonl
	@echo; echo "The first clusters ($(DEMO)/clusters.csv):"; head -8 $(DEMO)/clusters.csv

check: $(VENV)/.developing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Installs package $(2) if the command $(1) is missing; $(3) is the consequence if that fails.
define system_part
	@if ! command -v $(1) >/dev/null && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update --quiet --quiet && \
		DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --quiet --no-install-recommends $(2) || \
		echo "$(1) cannot be installed; $(3)"; \
	fi
endef

browser:
	$(call system_part,chromium,chromium,tests that need it are skipped or fail where CI is set)

strace:
	$(call system_part,strace,strace,tests that need it are skipped or fail where CI is set)

java:
	$(call system_part,java,default-jre-headless,the row of Spark will say so)

# Compiles the kernels once, before several workers compile them at the same time.
kernels: $(VENV)/.developing
	$(BIN)/lookalike warm-up --quiet

quick: $(VENV)/.developing kernels
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(PYTEST) -m 'not slow'

test: check kernels browser strace
	$(PYTEST)

test-crash: $(VENV)/.developing kernels strace
	LOOKALIKE_CRASH=20 $(PYTEST) tests/index/test_index_faults.py tests/index/test_index_concurrent.py

bench: $(VENV)/.developing java
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/compare.py
	$(BIN)/python benchmarks/side.py sets
	$(BIN)/python benchmarks/side.py vectors
	$(BIN)/python benchmarks/side.py index
	$(BIN)/python benchmarks/page.py

bench-speed: $(VENV)/.developing
	$(BIN)/python benchmarks/speed.py

bench-sets bench-vectors bench-index: bench-%: $(VENV)/.developing
	$(BIN)/python benchmarks/side.py $*

bench-page: $(VENV)/.developing
	$(BIN)/python benchmarks/page.py

bench-%: $(VENV)/.developing java
	$(BIN)/python benchmarks/compare.py $*

docs: $(VENV)/.developing
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_lecture.py

clean:
	rm -rf $(VENV) $(DEMO) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +

clean-bench:
	rm -rf benchmarks/.venvs benchmarks/data
