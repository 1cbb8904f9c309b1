# coldcase: build, test and try. `make demo` and `make test` need nothing but
# Go; with Node they build the interactive charts in, with Chromium they look at
# the pages.

GO       ?= go
BIN      ?= bin/coldcase
FUZZTIME ?= 1m
BENCHTIME ?= 1x
# A test machine has two cores: more packages at once only share them.
export GOFLAGS ?= -p=2

ASSET    := templates/echarts/echarts.common.min.js

.PHONY: all build install demo test test-static test-browser browser vet bench fuzz fmt lint truth \
	gallery real-servers test-real echarts clean help

all: build

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

build: ## build bin/coldcase, with interactive charts if they are there
	$(GO) build -trimpath -o $(BIN) ./cmd/coldcase

install: ## install coldcase into Go's bin folder
	$(GO) install -trimpath ./cmd/coldcase

echarts: $(ASSET) ## fetch the charting library by its lock file, if npm is there

# Without npm, or without a registry, the build goes on: the report is complete
# as static SVG, and says so in its footer.
$(ASSET): templates/echarts/package-lock.json
	@if command -v npm >/dev/null; then \
	  (cd templates/echarts && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
	    && cp node_modules/echarts/dist/echarts.common.min.js . && touch echarts.common.min.js) \
	  || echo "echarts: npm could not install it; the charts stay static"; \
	else echo "echarts: npm is not here; the charts stay static"; fi

demo: echarts build ## write the report of the inversion sample
	@mkdir -p dist
	$(BIN) report --sample inversion -o dist/inversion.html
	@echo "open file://$(CURDIR)/dist/inversion.html"

test: echarts browser build vet test-static test-browser ## set up and test everything
	$(GO) test ./...

vet: ## gofmt, go vet and staticcheck over both modules
	@bad=$$(gofmt -l .); \
	  [ -z "$$bad" ] || { echo "not formatted:"; echo "$$bad"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	cd browsertest && $(GO) vet ./...

# What matters without the charting library, as in a build by `go install`: an
# overlay takes the file out of the build.
test-static:
	@mkdir -p bin
	@printf '{"Replace": {"%s": ""}}\n' "$(CURDIR)/$(ASSET)" > bin/static.json
	$(GO) test -overlay bin/static.json ./templates/...
	$(GO) test -overlay bin/static.json -run '^TestScript$$/^(report|verify|usage)$$' ./cmd/coldcase

test-browser: ## look at the pages of the samples in Chromium
	cd browsertest && { [ ! -f package-lock.json ] || ! command -v npm >/dev/null \
	  || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error || true; }
	cd browsertest && $(GO) test ./...

# A bare machine gets its browser, and what reads a PDF, from apt when that is
# possible; elsewhere the browser tests skip and say why.
browser:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null && command -v pdftotext >/dev/null \
	  || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	    && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core poppler-utils >/dev/null; } \
	  || echo "browser: no Chromium or pdftotext, and no way to install them; browser tests will skip"

bench: build ## speed and memory, each beside its reference
	$(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) ./...
	cd browsertest && $(GO) test -run '^$$' -bench . -benchtime $(BENCHTIME) ./...

fuzz: ## run every fuzz target, FUZZTIME each (default 1m)
	@set -e; for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; \
	  done; done

fmt: ## format the Go files
	gofmt -w .

lint: vet ## the same as vet

truth: ## hold the count against what is known of the recorded captures, and of all that is left of them
	cd analysis/degrade && $(GO) test -count=1 -timeout 60m -run '^TestTruth$$' -args -all

gallery: echarts build ## build docs/gallery from the samples
	cd browsertest && $(GO) run ./gallery -coldcase ../$(BIN) -out ../docs/gallery

real-servers: ## set up real servers on this machine (x86-64 Linux, 13 GB of disk)
	ingest/record/realtest/setup.sh

test-real: build ## the sweep against real servers; set them up with real-servers first
	$(GO) test -count=1 -timeout 90m -tags realservers -v ./ingest/record/...

clean: ## remove what was built
	rm -rf bin dist $(ASSET) templates/echarts/node_modules browsertest/node_modules
