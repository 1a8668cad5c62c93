# A first page from a clean checkout: make demo. All tests: make test.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
.DEFAULT_GOAL := help

BIN := .venv/bin
BUNDLE := dist/yolo-pose
ARGS ?=

# A stamp file is in the folder that it is about, so that deleting the folder deletes the stamp.
INSTALLED := .venv/.installed
DEVELOPING := .venv/.developing
ZOO := .venv/zoo/.installed
MODULES := node_modules/.installed
DOCS_MODULES := tools/docs/node_modules/.installed
BUILT := webbuild/_web/.built
PACKED := dist/.packed

WEB_SOURCES := $(shell find web/src web/page web/integrations web/build web/notices -type f) webbuild/manifest/manifest.schema.json
PYTHON_SOURCES := $(shell find webbuild -path webbuild/_web -prune -o -type f -not -name '*.pyc' -print)
MODEL := models/yolo-pose.onnx $(wildcard models/samples/*)
OTHERS := rt-detr/rt-detr grounding-dino/grounding-dino mask2former-swin/mask2former depth-from-focus/depth-from-focus \
  video-matting/video-matting super-resolution/super-resolution
# Models of several stages, each a folder of dist/ and the files that make it.
promptable-segmenter := models/promptable-segmenter/encoder.onnx models/promptable-segmenter/decoder.onnx
top-down-pose := models/yolo-pose.onnx models/top-down-pose/top-down-pose.onnx
text-reader := models/text-reader/det.onnx models/text-reader/rec.onnx
text-reader-options := --labels models/text-reader/dict.txt --size 640 --dim line_width=480
STAGED := promptable-segmenter top-down-pose text-reader
GALLERY := $(foreach model,$(notdir $(OTHERS)) $(STAGED),dist/$(model)/manifest.json)

# Chromium is found once, and its path is passed to everything that starts it. A missing GPU is a failure, not a skipped test.
CHROMIUM := .venv/.chromium
TEST_CHROMIUM := .venv/.test-chromium
IN_CHROMIUM = WEBBUILD_REQUIRE=webgpu WEBBUILD_CHROMIUM="$$(cat $(TEST_CHROMIUM))"

# Only the end-to-end tests use Firefox and WebKitGTK. If one cannot be installed, the tests that need it fail.
FIREFOX := .venv/.firefox
WEBKIT := .venv/.webkit
IN_BROWSERS = $(IN_CHROMIUM) WEBBUILD_REQUIRE="webgpu firefox webkit" WEBBUILD_FIREFOX="$$(cat $(FIREFOX))" WEBBUILD_WEBKIT="$$(cat $(WEBKIT))"

CHECKS := ruff format-check mypy generated biome tsc docs
SUITES := $(CHECKS) web unit e2e

.PHONY: help
help: ## List these targets.
	@sed -nE 's/^([a-z0-9-]+):.*## (.*)$$/\1\t\2/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name words; do \
	  printf '  make %-14s%s\n' "$$name" "$$words"; \
	done

.PHONY: demo
demo: node pack ## Pack the small model, compare it in Chromium, serve its page. ARGS=--no-serve stops before serving.
	@if [[ " $(ARGS) " == *" --no-serve "* ]]; then \
	  echo "$(BUNDLE) is ready. Serve it with: $(BIN)/webbuild serve $(BUNDLE)"; \
	else \
	  $(BIN)/webbuild serve $(BUNDLE) $(ARGS) || [[ $$? == 130 ]]; \
	fi

.PHONY: test
test: node ## All tests: lint, types, the runtime in Chromium, Python, end to end.
	@MAKE="$(MAKE)" .ci/suites $(SUITES)

.PHONY: setup
setup: node $(DEVELOPING) $(MODULES) ## Install the development dependencies in .venv and node_modules.

.PHONY: build
build: $(BUILT) ## Build the runtime and the page into webbuild/_web.

.PHONY: pack
pack: $(PACKED) ## Pack the small model into dist/yolo-pose.

.PHONY: site
site: pack $(GALLERY) ## Make dist/site, a gallery of all models in models/. Only the small one is compared in a browser.
	$(BIN)/webbuild site $(BUNDLE) $(GALLERY:/manifest.json=) -o dist/site --force $(ARGS)

.PHONY: lint
lint: ## All static checks: generated files, style, types.
	@$(MAKE) --no-print-directory --keep-going $(CHECKS)

.PHONY: format
format: $(DEVELOPING) $(MODULES) ## Format the code, and write the generated files.
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .
	$(BIN)/python -c '$(SCHEMA)' > webbuild/manifest/manifest.schema.json
	$(BIN)/python -c '$(PIPELINE)' > docs/pipeline.schema.json
	npm run --silent build -- types
	npm run --silent format

.PHONY: unit
unit: $(DEVELOPING) $(BUILT) test-chromium ## The Python tests. ARGS go to pytest: make unit ARGS='-k letterbox'.
	@$(IN_CHROMIUM) $(BIN)/python -m pytest tests -n auto --dist worksteal $(ARGS)

.PHONY: fuzz
fuzz: $(DEVELOPING) $(MODULES) $(BUILT) test-chromium ## Random models for each pass; 71,000 broken inputs, the runtime's in Chromium; write the table of docs/fuzz.md. WEBBUILD_SEED=N.
	@export WEBBUILD_EXAMPLES=fuzz; trap 'kill $$(jobs -p) 2> /dev/null || true' EXIT; \
	$(BIN)/python -m pytest tests/passes/fuzz tests/fuzz tests/browser/test_hostile_clients.py \
	  tests/commands/test_unfolding_models.py -m "slow or not slow" $(ARGS) & python=$$!; \
	$(IN_CHROMIUM) npm test --silent -- web/test/fuzz; \
	wait $$python; \
	$(BIN)/python -m benchmarks.fuzz test-results/fuzz-python.json $(REPORT) --write

.PHONY: recorded
recorded: $(DEVELOPING) $(BUILT) ## Compare packs of all models and exports with the recorded results; ARGS=--regenerate records them again.
	@$(BIN)/python -m pytest tests/characterization -m "slow or not slow" -n auto --dist worksteal $(ARGS)

.PHONY: web
web: $(MODULES) $(BUILT) test-chromium ## The TypeScript tests, in Chromium.
	@# Tests for adapters without float16 run on SwiftShader, if the others run on lavapipe.
	@[[ -n "$(ARGS)" ]] || cmp -s $(CHROMIUM) $(TEST_CHROMIUM) \
	  || WEBBUILD_REQUIRE=webgpu WEBBUILD_CHROMIUM="$$(cat $(CHROMIUM))" npm test --silent -- web/test/fallback/precision.test.ts
	@$(IN_CHROMIUM) npm test --silent -- $(ARGS)

.PHONY: zoo
zoo: $(ZOO) ## Export many small networks to build/zoo, for tests only. ARGS are names, or --list.
	@.venv/zoo/bin/python -m models.zoo.make build/zoo $(ARGS)

# Two parts of about equal duration in Firefox.
SOAK_1 := web/test/session/memory-growth.test.ts web/test/fallback/recovery.test.ts web/test/fallback/state.test.ts
SOAK_2 := web/test/fallback/scenes.test.ts web/test/api/stream.test.ts web/test/worker/killed-worker.test.ts \
  web/test/worker/hidden-page.test.ts
REPORT := test-results/vitest.json

.PHONY: soak
soak: $(MODULES) $(BUILT) $(DEVELOPING) test-chromium firefox ## 1,000 runs of each task and 100 GPU losses of each kind, in Chromium and Firefox at once; write the table of docs/soak.md.
	@export WEBBUILD_TIMES=$${WEBBUILD_TIMES:-100}; trap 'kill $$(jobs -p) 2> /dev/null || true' EXIT; \
	soak() { npm test --silent -- "$$@" --tags-filter=soak $(ARGS); }; \
	$(IN_CHROMIUM) WEBBUILD_REPORT=soak-chromium soak $(SOAK_1) $(SOAK_2) & \
	export WEBBUILD_SOAK_FIREFOX="$$(cat $(FIREFOX))"; \
	$(IN_BROWSERS) WEBBUILD_REPORT=soak-firefox-1 soak $(SOAK_1) & \
	$(IN_BROWSERS) WEBBUILD_REPORT=soak-firefox-2 soak $(SOAK_2) & \
	failed=0; for each in $$(jobs -p); do wait $$each || failed=1; done; [[ $$failed = 0 ]]; \
	$(BIN)/python -m benchmarks.soak $(addprefix test-results/soak-,$(addsuffix .json,chromium firefox-1 firefox-2)) --write

.PHONY: e2e
e2e: $(DEVELOPING) $(BUILT) test-chromium firefox webkit ## Pack, serve, verify, and use the page, in Chromium, Firefox and WebKit.
	@$(IN_BROWSERS) $(BIN)/python -m pytest e2e -n 2 --dist loadfile $(ARGS)

.PHONY: browsers
browsers: $(DEVELOPING) $(BUILT) test-chromium firefox webkit ## Measure in every browser again, and write the tables of docs/browsers.md.
	@$(IN_BROWSERS) WEBBUILD_SWIFTSHADER="$$(cat $(CHROMIUM))" $(BIN)/python -m e2e.support --write

.PHONY: film
film: $(INSTALLED) $(BUILT) test-chromium ## Record the film of the README: pack's output, and the demo page.
	@$(IN_CHROMIUM) $(BIN)/python -m e2e.film

.PHONY: docs
docs: $(DEVELOPING) $(MODULES) $(DOCS_MODULES) ## Build the documentation site into dist/docs, and check its links.
	@$(BIN)/python -m tools.docs build/docs
	@$(BIN)/zensical build --config-file build/zensical.toml --clean --strict
	@mkdir -p dist && rm -rf dist/docs && mv build/site dist/docs
	@$(BIN)/python -m tools.docs.links dist/docs

.PHONY: clean
clean: ## Delete all build outputs; .venv and node_modules stay.
	rm -rf dist build test-results webbuild/_web .pytest_cache .mypy_cache .ruff_cache .hypothesis

# The checks.

.PHONY: ruff format-check mypy biome tsc generated
ruff: $(DEVELOPING)
	$(BIN)/ruff check .
format-check: $(DEVELOPING)
	$(BIN)/ruff format --check --output-format concise .
mypy: $(DEVELOPING)
	$(BIN)/mypy --strict
biome: $(MODULES)
	npm run --silent lint
tsc: $(MODULES)
	npm run --silent check

SCHEMA := import json; from webbuild.manifest.manifest import json_schema; print(json.dumps(json_schema(), indent=2))
PIPELINE := import json; from webbuild.compile.stages.pipeline_file import pipeline_schema; print(json.dumps(pipeline_schema(), indent=2))
TYPES := import { manifestTypes } from "./web/build/types.mjs"; process.stdout.write(await manifestTypes())
DEFINITIONS := import { manifestDefinitions } from "./web/build/definitions.mjs"; process.stdout.write(await manifestDefinitions())

generated: $(INSTALLED) $(MODULES)
	@$(BIN)/python -c '$(SCHEMA)' | diff -u webbuild/manifest/manifest.schema.json - \
	  && $(BIN)/python -c '$(PIPELINE)' | diff -u docs/pipeline.schema.json - \
	  && node --input-type=module -e '$(TYPES)' | diff -u web/src/manifest/manifest.ts - \
	  && node --input-type=module -e '$(DEFINITIONS)' | diff -u web/src/manifest/definitions.ts - \
	  || { echo "A generated file is not what its source says. fix: make format" >&2; exit 1; }
	@echo "manifest.schema.json, pipeline.schema.json, and manifest.ts and definitions.ts of web/src/manifest are current"

# The stamps.

.venv/bin/python:
	@.ci/python-environment

$(INSTALLED): pyproject.toml uv.lock | .venv/bin/python
	@echo "Installing webbuild into .venv, with onnx and onnxruntime to patch and prove models, and Playwright to drive Chromium ..."
	@.ci/install browser,tokenizers || { echo "  fix: pip says above what it lacks; mostly it is the network. Then run make again." >&2; exit 2; }
	@touch $@

$(DEVELOPING): $(INSTALLED)
	@echo "Installing the tools that check and test: ruff, mypy, pytest, hypothesis ..."
	@.ci/install dev || { echo "  fix: pip says above what it lacks; mostly it is the network. Then run make again." >&2; exit 2; }
	@touch $@

# Exporters have a separate environment: their versions of PyTorch and ONNX must not affect webbuild's.
$(ZOO): pyproject.toml uv.lock | .venv/bin/python
	@echo "Installing what exports the zoo into .venv/zoo: PyTorch, timm, transformers, Ultralytics; some gigabytes ..."
	@[[ -x .venv/zoo/bin/python ]] || .venv/bin/python -m venv .venv/zoo
	@.ci/install zoo .venv/zoo || { echo "  fix: pip says above what it lacks; mostly it is the network. Then run make again." >&2; exit 2; }
	@touch $@

# Checked before anything is installed, to fail early.
.PHONY: node
node:
	@.ci/check-node

$(MODULES): package.json package-lock.json | node
	@echo "Installing into node_modules what builds the page: onnxruntime-web, vite, TypeScript ..."
	@npm ci --no-fund --no-audit --no-update-notifier --loglevel=error \
	  || { echo "  fix: npm says above what it lacks; mostly it is the network. Then run make again." >&2; exit 2; }
	@touch $@

# TypeDoc needs another TypeScript version than the page's build.
$(DOCS_MODULES): tools/docs/package.json tools/docs/package-lock.json | node
	@echo "Installing TypeDoc into tools/docs/node_modules ..."
	@npm ci --prefix tools/docs --no-fund --no-audit --no-update-notifier --loglevel=error \
	  || { echo "  fix: npm says above what it lacks; mostly it is the network. Then run make again." >&2; exit 2; }
	@touch $@

$(BUILT): $(WEB_SOURCES) $(MODULES) tsconfig.json
	@echo "Building the runtime and the page; the first time the engine is compressed, which takes a minute ..."
	@npm run --silent build
	@touch $@

# A bundle that was not compared in a browser gets no stamp, so that the next run tries again.
$(PACKED): $(INSTALLED) $(BUILT) $(MODEL) $(PYTHON_SOURCES) $(if $(wildcard $(BUNDLE)/manifest.json),,again)
	@if chromium=$$($(BIN)/python -m webbuild.browser.ensure_chromium); then \
	  WEBBUILD_CHROMIUM=$$chromium $(BIN)/webbuild pack models/yolo-pose.onnx -o $(BUNDLE) --force && touch $@; \
	elif [[ $$? == 2 ]]; then \
	  echo "Going on without Chromium: the bundle is proven on the CPU, but NOT compared in a browser." >&2; \
	  rm -f $(BUNDLE).verify.html; \
	  $(BIN)/webbuild pack models/yolo-pose.onnx -o $(BUNDLE) --force --no-verify; \
	else \
	  exit 1; \
	fi

.PHONY: again
again:

define packed_without_browser
dist/$(1)/manifest.json: $(2) $(INSTALLED) $(BUILT) $(PYTHON_SOURCES)
	$(BIN)/webbuild pack $(2) $($(1)-options) -o $$(@D) --force --no-verify
endef
$(foreach model,$(OTHERS),$(eval $(call packed_without_browser,$(notdir $(model)),models/$(model).onnx)))
$(foreach model,$(STAGED),$(eval $(call packed_without_browser,$(model),$($(model)))))

.PHONY: chromium
chromium: $(INSTALLED)
	@$(BIN)/python -m webbuild.browser.ensure_chromium > $(CHROMIUM).$$$$ && mv $(CHROMIUM).$$$$ $(CHROMIUM)

.PHONY: test-chromium
test-chromium: $(DEVELOPING) chromium
	@.ci/test-chromium "$$(cat $(CHROMIUM))" > $(TEST_CHROMIUM).$$$$ && mv $(TEST_CHROMIUM).$$$$ $(TEST_CHROMIUM)

.PHONY: firefox webkit
firefox: $(DEVELOPING)
	@$(BIN)/python -m e2e.browser_install firefox > $(FIREFOX) || true
webkit: $(DEVELOPING)
	@$(BIN)/python -m e2e.browser_install webkit > $(WEBKIT) || true
