.DEFAULT_GOAL := help
GOLANGCI = go tool -modfile=tools/go.mod golangci-lint

.PHONY: help build run test race lint fmt fuzz bench bench-breakers bench-load bench-failure crash soak mutate clients agents ci

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the static binary ./ohmroute
	CGO_ENABLED=0 go build -trimpath -o ohmroute ./cmd/ohmroute

run: ## run the gateway on 127.0.0.1:4700
	go run ./cmd/ohmroute serve

test: ## run the tests
	go test ./...

race: ## run the tests with the race detector, shuffled
	go test -race -shuffle=on ./...

lint: ## run the linters
	$(GOLANGCI) run ./...

fmt: ## format the tree
	$(GOLANGCI) fmt

fuzz: ## fuzz each target for a minute
	.ci/fuzz 1m

bench: ## run the benchmarks of the product
	go test -run '^$$' -bench . -benchmem ./...

bench-breakers: ## run the breaker's benchmarks beside those of other libraries, on one core and on two
	cd bench && go test -run '^$$' -bench . -benchmem -cpu 1,2 ./...

bench-load: ## run the same load through ohmroute and a ReverseProxy; print what each costs and whether the targets held
	cd bench && go run ./load -write ../docs/performance.md

bench-failure: ## play incidents against the running binary; print what clients saw of them, by policy
	cd bench && go run ./failure -write ../docs/failure-incidents.md -plots ../docs/incidents

crash: ## kill the running binary 200 times under load and look for what it forgot
	E2E_CRASH_ROUNDS=200 go test -count=1 -timeout 30m -run AfterAKill -v ./e2e

soak: ## run the binary for 10 minutes under load, faults, aborts, reloads and resets, and look for what grows
	E2E_SOAK=$(or $(SOAK),10m) go test -count=1 -timeout 60m -run Soak -v ./e2e

MUTATE = cd tools && go run ./mutate -module .. -seed $(or $(SEED),1) -sample $(or $(SAMPLE),60) -for $(or $(FOR),10m)

mutate: ## change a sample of places of the breaker and of the classifier, and list what no test notices
	$(MUTATE) -package ./circuitbreaker -args -rapid.nofailfile -timeout 1m -allow 6
	$(MUTATE) -package ./providers -files 'classify*.go,kinds*.go,hints*.go,judge*.go' -timeout 1m -allow 6

clients: ## install the pinned clients of npm and PyPI and run all client libraries against the binary
	e2e/clients/testdata/install npm
	e2e/clients/testdata/install python
	go test -count=1 ./e2e/clients

agents: ## install the pinned coding agents of npm (1.3 GB) and run each against the binary
	e2e/clients/testdata/install agents
	go test -count=1 -timeout 30m -tags agents -run Agents -v ./e2e/clients

ci: ## run everything that a change has to pass
	.ci/run
