# The everyday commands. `make demo` and `make test` need nothing but a Rust tool chain on Debian 12 or Ubuntu.
PEER ?= target/peer
NVRTC ?= target/nvrtc
BENCH_PEER ?= target/bench-peer
CASES ?= $(or $(TPULANG_CASES),tests/cases)
PROFILE ?= release
BIN = target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/tpulang
LLVM = /usr/lib/llvm-22

.PHONY: help setup demo build test check deny portable kernels gpu gpu-build gpu-check gpu-bench conformance lowered quantized fuzz fuzz-networks fuzz-input minilm bench bench-quick docs ops

help: ## what there is
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 14

setup: ## install LLVM and MLIR 22 where they are missing
	@sh scripts/setup.sh $(LLVM)

build: setup ## the binary, for users: PROFILE=release
	$(if $(filter dev,$(PROFILE)),cargo test --no-run,cargo build --profile $(PROFILE) --bin tpulang)

demo: build ## convert and run a small network
	@sh scripts/demo.sh $(BIN)

test: setup ## all tests, some also with the vector instructions of lesser machines
	cargo test
	for each in avx2 plain; do TPULANG_INSTRUCTIONS=$$each cargo test --lib --test suite -- cases:: exec:: || exit 1; done

check: setup deny portable ## format, lints, documentation, dependencies
	cargo fmt --all --check
	cargo clippy --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

deny: ## licences, versions and known weaknesses of the dependencies
	@command -v cargo-deny >/dev/null || cargo install --quiet --locked cargo-deny --version 0.20.2
	cargo deny --log-level error check bans licenses sources
	@if cargo deny --log-level error fetch db; then cargo deny --offline --log-level error check advisories; \
	else echo "the list of known weaknesses cannot be fetched: not checked" >&2; fi

ARM = aarch64-unknown-linux-gnu
portable: setup ## that it compiles without MLIR, without CUDA, and for ARM
	cargo check -p tpulang --no-default-features --features cli,cuda
	@if rustup target add $(ARM) >/dev/null 2>&1; then cargo check -p tpulang --no-default-features --features cli --target $(ARM); \
	else echo "no standard library for $(ARM) can be had: checked for this machine alone" >&2; cargo check -p tpulang --no-default-features --features cli; fi

# The tests leave what they have compiled in target/tmp; without that folder they compile all again.
kernels: setup ## NVIDIA's compiler on every CUDA kernel that the tests have met, for three architectures; needs no GPU
	sh conformance/nvrtc.sh $(NVRTC)
	[ -d target/tmp/sources ] || { rm -rf target/tmp/kernels; cargo test --test suite -- cuda; }
	python3 conformance/nvrtc.py --library $(NVRTC)/libnvrtc.so.13 --sources target/tmp/sources

gpu: gpu-check gpu-bench ## all that is to be done where a GPU is at hand

GPU_BIN = target/gpu/release/tpulang
gpu-build: ## a small binary to carry to a GPU machine: without MLIR
	cargo build --release -p tpulang --no-default-features --features cuda,cli --target-dir target/gpu --bin tpulang

MINUTES ?= 30
gpu-check: ## on a machine with a GPU: recorded and random graphs beside the CPU, compute-sanitizer; SKIP_BUILD=1 where the binary was carried there
	$(if $(SKIP_BUILD),,$(MAKE) gpu-build)
	python3 conformance/gpu.py --bin $(GPU_BIN) --cases $(CASES) --minutes $(MINUTES)

# A Python with numpy, and PyTorch for CUDA where there is one. GPU_BENCH=--tf32, --precision f16, --small, --only ..
PYTHON ?= python3
BENCH_MINUTES ?= 20
gpu-bench: ## on a machine with a GPU: speed beside PyTorch and beside what the card attains: build/bench/gpu.md; SKIP_BUILD=1 as above
	$(if $(SKIP_BUILD),,$(MAKE) gpu-build)
	$(PYTHON) benches/gpu.py --bin $(GPU_BIN) --minutes $(BENCH_MINUTES) $(GPU_BENCH)

ops: setup ## generate src/ops/generated from the definitions in td
	cargo run --quiet -p tpulang-td

docs: setup ## write the generated files anew
	cargo run --quiet -- ops --markdown functions > docs/functions.md
	cargo run --quiet -- ops --markdown ops > docs/ops.md
	cargo run --quiet -- schema > docs/schema.json

conformance: build ## compare every recorded case with tpu_mlir
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/judge.py --bin $(BIN) --cases $(CASES) --exceptions tests/exceptions.toml
	$(PEER)/bin/python conformance/preprocess.py --bin $(BIN)
	$(PEER)/bin/python conformance/lowered.py --bin $(BIN) --only attention

lowered: build ## networks compiled to float16 bmodels for bm1684x, run by the tool chain's simulator, compared with ours
	sh conformance/setup.sh $(PEER)
	sh scripts/minilm.sh build/minilm
	$(PEER)/bin/python conformance/lowered.py --bin $(BIN)

quantized: build ## compare integers with those of the network lowered for bm1684x, by function
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/quantized.py --bin $(BIN) --cases $(CASES)

fuzz: build ## compare random graphs with TpuLang
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/fuzz.py --bin $(BIN)

COUNT ?= 300
SEEDS ?= 0:$(COUNT)
GPU_EVERY ?= 0
fuzz-networks: build ## random networks, every tensor beside PyTorch and every way of running them beside the others; SEEDS=FROM:TO or COUNT=N, GPU_EVERY=N
	sh benches/setup.sh $(BENCH_PEER)
	$(BENCH_PEER)/bin/python conformance/fuzz_networks.py --bin $(BIN) --seeds $(SEEDS) --gpu-every $(GPU_EVERY) --keep build/fuzz-networks

SECONDS ?= 600
TARGETS ?= spec safetensors npz mlir_bytes mlir_grammar ops
fuzz-input: setup ## feed hostile input to each reader for SECONDS each (needs cargo-fuzz and a nightly toolchain)
	for t in $(TARGETS); do mkdir -p fuzz/corpus/$$t && cargo +nightly fuzz run -O -s none $$t fuzz/corpus/$$t tests/ops tests/cases/Max tests/cases/Softmax examples/patterns -- -max_total_time=$(SECONDS) -rss_limit_mb=3000 -timeout=20 || exit 1; done

minilm: setup ## download a language model, convert it, run it, and pass it to tpuc-opt
	sh scripts/minilm.sh build/minilm
	cargo run --profile $(PROFILE) --example minilm
	if [ -e $(PEER)/ready ]; then $(PEER)/bin/python conformance/accept.py build/minilm/minilm_origin.mlir; fi

bench: build ## compare speed with TpuLang, onnxruntime, PyTorch and pymlir (docs/performance.md)
	sh conformance/setup.sh $(PEER)
	sh benches/setup.sh $(BENCH_PEER)
	$(PEER)/bin/python benches/build_convert.py --bin $(BIN)
	$(BENCH_PEER)/bin/python benches/compare.py --bin $(BIN) --peer $(PEER)
	cargo bench

bench-quick: build ## a short run on a few networks (build/bench/performance.md)
	sh benches/setup.sh $(BENCH_PEER)
	$(BENCH_PEER)/bin/python benches/compare.py --bin $(BIN) --peer $(PEER) --quick
