# Backcast's commands. `make run` and `make test` are the two that everybody needs.

.DEFAULT_GOAL := help
.PHONY: help run test fuzz simulate faults proof bench bench-ingest prove-cache prove-play bench-downloads build hls-js lint format clean

help: ## lists these commands
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST)

run: ## installs, builds and starts PostgreSQL, a live encoder and Backcast; prints URLs that play; DEMO=variants adds a channel with three variants
	@scripts/run.sh

test: ## installs, builds with warnings as errors, checks style, runs every test
	@scripts/test.sh

fuzz: ## feeds mutated inputs to the readers, SECONDS=60 for each of TARGETS, and measures hostile playlists
	@scripts/fuzz.sh $(or $(SECONDS),60) $(TARGETS)

proof: ## shows players, Kodi, load and the API against its document: a table that fails on a miss; PARTS="kodi" for some; over an hour
	@PARTS="$(PARTS)" Tests/proof/run.sh

simulate: ## looks for scenarios in which recording fails, for SECONDS=60; SCENARIO, HOURS and FAULTS run one again, TRACE=1 with its log
	@SECONDS_TO_RUN=$(SECONDS) scripts/simulate.sh

faults: ## tries faults on the release build: kills, PostgreSQL, disk, origin, clock; a table; SUITES=ClockFaultTests for one of them
	@scripts/faults.sh $(SUITES)

bench: ## measures what answers cost beside nginx: ROWS=short,24h-gzip for some; a table that fails on a miss
	@ROWS=$(ROWS) scripts/bench.sh

bench-ingest: ## measures what recording costs beside ffmpeg: CHANNELS=200, SECONDS=60; a table that fails on a miss
	@CHANNELS=$(CHANNELS) SECONDS_TO_RUN=$(SECONDS) scripts/bench-ingest.sh

prove-cache: ## shows PLAYERS=500 of a live channel behind the sample caches of nginx and Varnish for SECONDS=60: a table that fails on a miss
	@CACHES="$(CACHES)" PLAYERS=$(PLAYERS) SECONDS_TO_RUN=$(SECONDS) scripts/prove-cache.sh

prove-play: ## shows `backcast play` in BROWSERS="chromium firefox": a table that fails on a miss
	@scripts/prove-play.sh

bench-downloads: ## measures a download of ROUNDS=5 rounds beside curl and yt-dlp: a table that fails on a miss
	@ROUNDS=$(ROUNDS) scripts/bench-downloads.sh

hls-js: ## installs hls.js below PREFIX=.build/release, for `backcast play` in browsers that cannot play HLS themselves
	@scripts/hls-js.sh $(or $(PREFIX),.build/release)

build: ## builds the two programs for release
	@scripts/release.sh backcast live-origin

lint: ## checks the style of sources and scripts
	@scripts/lint.sh

format: ## puts the sources into the house style
	swift format -i -r Sources Tests Package.swift

clean: ## removes what was built; var/ with its recordings stays
	rm -rf .build
