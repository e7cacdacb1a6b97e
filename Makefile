# The ways in: `make help`. Everything is made inside this folder or in the user's cache.

ifndef PYTHON
PYTHON := $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python3.10; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && echo $$name && break; done)
endif
VENV := .venv
BIN := $(VENV)/bin
SOURCES := etalis_py compiler rules ontologies spark_udfs tests
LINKED := compiler rules ontologies spark_udfs
WORKERS ?= auto
SIDE_BY_SIDE := -n $(WORKERS) --maxprocesses 4 --dist worksteal

# Tests start hundreds of processes, each of which would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-random test-long sanitize sanitize-some wheel site lint format types bench soak soak-serve fuzz lock clean distclean

help:  ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup:  ## install what is missing: SWI-Prolog, Java, .venv with the locked packages (minutes once, then a moment)
	@$(or $(PYTHON),$(error etalis_py needs Python 3.10 or newer; install python3 or say make setup PYTHON=...)) \
		etalis_py/provision $(PARTS)

demo: PARTS = demo
demo: setup  ## run the tsunami demo; of what is missing only what the demos need is installed
	$(BIN)/etalis demo tsunami

test: setup  ## run the tests and the examples in docstrings, but for long ones, some side by side (WORKERS=; EXAMPLES=all of random tests)
	ETALIS_RANDOM=$(EXAMPLES) $(BIN)/python -m pytest $(SIDE_BY_SIDE)

test-random: setup  ## run the random tests with all their examples, and so many more (EXAMPLES=)
	ETALIS_RANDOM=all ETALIS_ORACLE_EXAMPLES=$(or $(EXAMPLES),100) $(BIN)/python -m pytest $(SIDE_BY_SIDE) -m random

test-long: setup  ## run all tests, with all their examples: hours
	ETALIS_RANDOM=all $(BIN)/python -m pytest $(SIDE_BY_SIDE) -m ""

# Not Spark, since Java does not start with this allocator; not packaging, whose environments have libraries of their own; not fuzz,
# whose processes have less memory than it takes. The second library is for packages in C++: what they throw passes through the first.
sanitize: setup  ## run the tests with native libraries that find errors of memory (or TESTS= of some), without Spark
	ETALIS_NATIVE_OPTIONS="-g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover" \
		LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libstdc++.so)" ASAN_OPTIONS=detect_leaks=0:handle_segv=0:use_sigaltstack=0 \
		$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m 'not spark and not long' $(or $(TESTS),tests --ignore=tests/packaging --ignore=tests/spark --ignore=tests/fuzz)

sanitize-some: TESTS = tests/engine/test_machine.py tests/engine/test_machine_steps.py tests/engine/test_portions.py tests/engine/test_native_memory.py tests/rules/test_plunit.py -k 'not an_allocation and not memory_is and not plunit or goals or policies'
sanitize-some: sanitize  ## two minutes of that: the tests of rules without Prolog

site: setup  ## build the pages of docs/ as a web site, in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

wheel: setup  ## make a wheel for this Linux that brings SWI-Prolog, in dist/
	rm -rf build dist/pure && mkdir -p dist/pure
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir dist/pure .
	$(BIN)/python -m etalis_py.packing.wheel dist/pure/*.whl dist && rm -rf dist/pure build *.egg-info

lint: setup  ## check style and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup  ## format the code, and fix what ruff can fix
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

types: setup .typing/etalis_py  ## check the types of all folders
	$(BIN)/mypy

bench: setup  ## measure speed and memory beside Prolog by hand (or NAMES= of some workloads)
	$(BIN)/etalis bench $(NAMES)

soak: setup  ## 30 minutes of events (or MINUTES=), whose feeder is killed at random: are answers and memory right?
	$(BIN)/python -m tests.benchmarks.soak --minutes $(or $(MINUTES),30)

soak-serve: setup  ## 20 minutes (or MINUTES=) of 50,000 events/s to a server with 200 readers: latency, memory, answers
	$(BIN)/python -m tests.serve.soak --strict --minutes $(or $(MINUTES),20)

fuzz: setup  ## look for inputs that the engine handles badly, 10 minutes (or SECONDS=; NAMES= of some fuzzers)
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),600) $(NAMES)

lock:  ## choose the newest versions of all packages and write requirements.lock
	$(PYTHON) -m venv .lock-venv
	.lock-venv/bin/python -m pip install --quiet 'uv==0.13.8'
	.lock-venv/bin/uv pip compile --quiet --universal --python-version 3.10 --all-extras --upgrade --generate-hashes \
		--no-emit-index-url --custom-compile-command 'make lock' --output-file requirements.lock pyproject.toml
	rm -rf .lock-venv

clean:  ## remove what tools and runs left behind
	rm -rf build dist *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache .typing spark-warehouse metastore_db
	find $(SOURCES) -type d -name __pycache__ -prune -exec rm -rf {} +

distclean: clean  ## remove .venv as well (the SWI-Prolog that was built stays in the user's cache)
	rm -rf $(VENV) .lock-venv .setup.lock .setup.log

# Type checkers do not read setuptools' mapping of folders to packages: give them the tree as it is imported.
.typing/etalis_py: FORCE
	@mkdir -p $@
	@find $@ -type l -delete
	@for entry in $(filter-out %/__pycache__,$(wildcard etalis_py/*)); do ln -s ../../$$entry $@/; done
	@for folder in $(LINKED); do ln -s ../../$$folder $@/; done

.PHONY: FORCE
FORCE:
