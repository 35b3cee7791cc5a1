# Each target is a short script in scripts/, which installs what it needs inside the project.
.DEFAULT_GOAL := help
.PHONY: help serve test build shots bench clean
export PORT

serve: ## build the page and serve it on 127.0.0.1:8080 (another port: PORT=8081)
	@scripts/serve

test: ## everything: format, lints, native tests, build, first-load budget, browser tests
	@scripts/test

build: ## the page as static files in dist/, for any host and any sub-folder
	@scripts/build

shots: ## pictures of every page in every size and theme, into shots/
	@scripts/shots

bench: ## speed of the engine, natively and in Chromium: name, value, unit a line
	@scripts/bench

clean: ## remove what was built; the installed tools stay
	@rm -rf dist shots target

help: ## this list
	@sed -n 's/^\([a-z]*\): ## \(.*\)/  make \1	\2/p' Makefile
