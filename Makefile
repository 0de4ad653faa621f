# The everyday commands. `make demo` and `make test` need nothing but a Rust tool chain on Debian 12 or Ubuntu.
PEER ?= target/peer
NVRTC ?= target/nvrtc
BENCH_PEER ?= target/bench-peer
CASES ?= $(or $(TPULANG_CASES),tests/cases)
# quick: no link-time optimisation and parallel code generation. release: the binary to keep, for `make release` and benchmarks.
PROFILE ?= quick
BIN = target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/tpulang
LLVM = /usr/lib/llvm-22

.PHONY: help setup build release wheel wheel-aarch64 dist dist-aarch64 oldest package book capi demo test test-python check deny portable kernels gpu gpu-build gpu-check gpu-emulated conformance conformance-onnx onnx-networks onnx-exporters onnx-bench scripts gradients lowered calibration emulation deploy toolchain ray quantized fuzz fuzz-networks fuzz-input minilm models digits show-test bench bench-quick docs ops

help: ## list these commands
	@grep -E '^[a-z-]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 14

setup: ## install LLVM and MLIR 22 if they are missing
	@sh scripts/setup.sh $(LLVM)

build: setup ## build the tpulang binary quickly: target/quick/tpulang
	$(if $(filter dev,$(PROFILE)),cargo test --no-run,cargo build --profile $(PROFILE) --bin tpulang)

release: setup ## build the optimised binary to keep: target/release/tpulang
	cargo build --release --bin tpulang

wheel: PROFILE = release
wheel: setup ## build the Python wheel: target/wheels; PROFILE=quick builds one for this machine
	sh scripts/wheel.sh $(PROFILE)

wheel-aarch64: setup ## build the Python wheel for ARM, on Debian 12: target/wheels
	sh scripts/wheel.sh release aarch64 $(LLVM)

dist: PROFILE = release
dist: setup ## build an archive of the command that needs glibc 2.28 only: target/dist
	sh scripts/dist.sh $(PROFILE)

dist-aarch64: PROFILE = release
dist-aarch64: ## build the one for ARM, without MLIR: target/dist
	sh scripts/dist.sh $(PROFILE) aarch64

oldest: ## run the wheels and archives in Debian 11, which has glibc 2.31 and Python 3.9; needs root and debootstrap
	for each in $(or $(wildcard target/wheels/tpulang-*-manylinux_*.whl target/dist/*.tar.gz),$(error there is nothing to run: make wheel or make dist first)); do \
		sh scripts/oldest.sh $$each || exit 1; done

book: ## build the book from docs with mdBook, and check its links: target/book/html
	sh scripts/book.sh

package: setup ## package the crates for crates.io, and build and run programs that depend on them: target/package
	sh scripts/package.sh

capi: setup ## build the C interface, shared and static: target/release/libtpulang_capi.so and .a
	cargo rustc --release -p tpulang-capi --lib --crate-type cdylib,staticlib

demo: build ## convert and run a small network
	@sh scripts/demo.sh $(BIN)

# The tests of blocked layouts try all instruction sets themselves.
test: setup ## run all tests, some also with fewer vector instructions; those of Python where there is one
	cargo test
	for each in avx2 plain; do TPULANG_INSTRUCTIONS=$$each cargo test --lib --test suite -- cases:: cpu:: plan:: --skip cpu::blocked::tests || exit 1; done
	@if python3 -c 'import venv, sys; assert sys.version_info >= (3, 9)' 2>/dev/null; then $(MAKE) test-python; \
	else echo "there is no Python from 3.9 on with its venv module: the tests of the Python package are left out" >&2; fi

test-python: PROFILE = dev
test-python: setup ## build the Python wheel, install it in a fresh environment, and test it there (PROFILE=release: the one to keep)
	sh scripts/wheel.sh $(PROFILE)
	sh scripts/test-python.sh

check: setup deny portable ## check format, lints, documentation and dependencies
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

# cargo-deny runs for seconds, and compiling it with optimization would take minutes.
deny: ## check licences, versions and advisories of the dependencies
	@command -v cargo-deny >/dev/null || CARGO_PROFILE_DEV_DEBUG=none cargo install --debug --quiet --locked cargo-deny --version 0.20.2
	cargo deny --log-level error check bans licenses sources
	@if cargo deny --log-level error fetch db; then cargo deny --offline --log-level error check advisories; \
	else echo "cannot fetch the advisory database; advisories are not checked" >&2; fi

ARM = aarch64-unknown-linux-gnu
portable: setup ## check that it compiles without MLIR, without CUDA, and for ARM
	cargo check -p tpulang --no-default-features --features cli,cuda
	@if rustup target add $(ARM) >/dev/null 2>&1; then cargo check -p tpulang --no-default-features --features cli --target $(ARM); \
	else echo "cannot install the standard library for $(ARM); checking for this machine only" >&2; cargo check -p tpulang --no-default-features --features cli; fi

ARCHITECTURES ?= sm_80,sm_90,sm_100
# The tests leave what they have compiled in target/tmp; without that folder they compile all again. If a file of the backend is newer
# than the first of these sources, some are of kernels that have changed or are gone.
kernels: setup ## compile every CUDA kernel that the tests run, for three architectures; fails on register spills; needs no GPU
	sh conformance/nvrtc.sh $(NVRTC)
	@first=$$(ls -tr target/tmp/sources 2>/dev/null | head -1); \
	if [ -z "$$first" ] || [ -n "$$(find src/exec/cuda -newer "target/tmp/sources/$$first")" ]; then \
		rm -rf target/tmp/sources target/tmp/kernels; cargo test --test suite -- cuda; fi
	python3 conformance/nvrtc.py --library $(NVRTC)/libnvrtc.so.13 --sources target/tmp/sources --record target/tmp/kernels.tsv \
		--architectures $(ARCHITECTURES)

# Each of them takes 10 minutes at most, and the most telling come first. SKIP_BUILD=1 where the binary was carried to the machine.
GPU_CHECKS = gpu-first gpu-recorded gpu-random gpu-libraries gpu-float16 gpu-sanitizer
GPU_BENCHES = gpu-bench gpu-bench-f16 gpu-bench-tf32 gpu-bench-compile
.PHONY: $(GPU_CHECKS) $(GPU_BENCHES)

gpu: ## on a machine with a GPU: gpu-check and gpu-bench; the second also runs if the first finds a difference
	$(if $(SKIP_BUILD),,$(MAKE) gpu-build)
	$(call each,gpu-check $(GPU_BENCHES))

GPU_BIN = target/gpu/release/tpulang
gpu-build: ## build a small binary without MLIR, to copy to a GPU machine
	cargo build --release -p tpulang --no-default-features --features cuda,cli --target-dir target/gpu --bin tpulang

gpu-check: ## on a machine with a GPU: compare recorded and random graphs with the CPU, first and replayed runs; compute-sanitizer
	$(if $(SKIP_BUILD),,$(MAKE) gpu-build)
	$(MAKE) SKIP_BUILD=1 gpu-first
	$(call each,$(filter-out gpu-first,$(GPU_CHECKS)))

# All of these targets, and then whether one failed.
each = failed=; for target in $(1); do $(MAKE) SKIP_BUILD=1 $$target || failed="$$failed $$target"; done; \
	if [ -n "$$failed" ]; then echo "failed:$$failed"; exit 1; fi

# A Python with numpy, and PyTorch for CUDA if there is one. MINUTES is that of one check or bench.
PYTHON ?= python3
MINUTES ?= 9
$(GPU_CHECKS):
	$(if $(SKIP_BUILD),,$(MAKE) gpu-build)
	timeout -k 10 $(LIMIT) $(PYTHON) conformance/gpu.py --bin $(GPU_BIN) --part $(@:gpu-%=%) --cases "$(CASES)" --minutes $(MINUTES)

gpu-emulated: build ## test three checks of gpu-check on the emulated GPU, and the benchmark on the CPU
	sh benches/setup.sh $(BENCH_PEER)
	cargo test --test suite -- cuda_faults
	export LD_LIBRARY_PATH=$$(for f in libcuda.so libcudnn.so; do dirname "$$(ls -t "$(CURDIR)"/target/tmp/emulated*/$$f | head -1)"; done | paste -sd:); \
	for part in first random libraries; do \
		$(BENCH_PEER)/bin/python conformance/gpu.py --bin $(BIN) --part $$part --cases "$(CASES)" --only "$$([ $$part = libraries ] && echo MatMul)" \
			--minutes $$([ $$part = random ] && echo 0.5 || echo 4) || exit 1; done
	$(BENCH_PEER)/bin/python benches/gpu.py --bin $(BIN) --device cpu --rounds 1 --seconds 0.01 --only 'gemm_512|softmax_1024' --no-compile \
		--work build/bench/gpu-emulated --out build/bench/gpu-emulated.md

# Seconds for one of these commands, whatever hangs.
LIMIT = 600

gpu-bench: ## on a machine with a GPU: speed compared with PyTorch and with the limits of the card: build/bench/gpu.md
gpu-bench: BENCH = --no-compile
gpu-bench-f16: BENCH = --no-compile --precision f16 --out build/bench/gpu-f16.md
gpu-bench-tf32: BENCH = --no-compile --tf32 --out build/bench/gpu-tf32.md
gpu-bench-compile: BENCH = --compile-each --out build/bench/gpu-compile.md
$(GPU_BENCHES):
	$(if $(SKIP_BUILD),,$(MAKE) gpu-build)
	timeout -k 10 $(LIMIT) $(PYTHON) benches/gpu.py --bin $(GPU_BIN) --minutes $(MINUTES) $(BENCH) $(GPU_BENCH)

ops: setup ## generate src/ops/generated from the definitions in td
	cargo run --quiet -p tpulang-td

# A document is replaced only if the command succeeds.
generate = mkdir -p build && cargo run --quiet -- $(1) > build/generated && mv build/generated $(2)
docs: setup ## regenerate the generated documents
	$(call generate,ops --markdown functions,docs/functions.md)
	$(call generate,ops --markdown ops,docs/ops.md)
	$(call generate,ops --markdown tpulang,docs/tpulang.md)
	$(call generate,schema,docs/schema.json)
	$(call generate,ops --python,python/tpulang/_functions.pyi)

conformance: build ## compare every recorded case with tpu_mlir
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/judge.py --bin $(BIN) --cases "$(CASES)" --exceptions tests/exceptions.toml
	$(PEER)/bin/python conformance/preprocess.py --bin $(BIN)
	$(PEER)/bin/python conformance/control_flow.py --bin $(BIN)
	$(PEER)/bin/python conformance/lowered.py --bin $(BIN) --only attention
	TPULANG_TOOLCHAIN=$(PEER) $(PEER)/bin/python conformance/deploy.py --bin $(BIN) conformance/deployed/masked conformance/deployed/indices
	TPULANG_TOOLCHAIN=$(PEER) $(PEER)/bin/python conformance/deploy.py --bin $(BIN) --chips bm1684,cv181x examples/patterns
	$(PEER)/bin/python conformance/emulation.py --bin $(BIN) examples/patterns

conformance-onnx: build ## compare corner cases with onnxruntime; run ONNX's node tests, also after tpuc-opt has rewritten them
	sh benches/setup.sh $(BENCH_PEER)
	sh conformance/setup.sh $(PEER)
	$(BENCH_PEER)/bin/python conformance/onnx_corners.py --bin $(BIN)
	$(BENCH_PEER)/bin/python conformance/onnx_nodes.py --bin $(BIN) --exceptions tests/onnx_exceptions.toml --peer $(PEER)/bin/python

onnx-networks: build ## compare networks that PyTorch exports to ONNX with onnxruntime (ten minutes)
	sh benches/setup.sh $(BENCH_PEER)
	sh conformance/onnx_networks.sh target/onnx-networks $(BENCH_PEER)
	sh conformance/setup.sh $(PEER)
	PYTHONPATH=target/onnx-networks $(BENCH_PEER)/bin/python conformance/onnx_networks.py --bin $(BIN) --work build/onnx-networks --peer $(PEER)/bin/python

onnx-exporters: build ## compare models that scikit-learn and TensorFlow export to ONNX with onnxruntime
	sh benches/setup.sh $(BENCH_PEER)
	sh conformance/onnx_exporters.sh target/onnx-exporters
	$(BENCH_PEER)/bin/python conformance/onnx_exporters.py --bin $(BIN) --venvs target/onnx-exporters --work build/onnx-exporters

onnx-bench: build ## compare how tpulang and tpu_mlir read the networks of onnx-networks; rewrites docs/onnx.md (half an hour)
	@[ -d build/onnx-networks ] || { echo "make onnx-networks first: it leaves its networks in build/onnx-networks" >&2; exit 1; }
	sh benches/setup.sh $(BENCH_PEER)
	sh benches/onnx_readers.sh target/peer-onnx
	sh conformance/tpulang_scripts.sh $(SCRIPTS_TORCH) target/peer-onnx
	$(BENCH_PEER)/bin/python benches/onnx_readers.py --bin $(BIN) --networks build/onnx-networks --reader target/peer-onnx --torch $(SCRIPTS_TORCH) --write

# Where the Python package is installed. Unless the place is given, the package is built and tested first.
PACKAGE ?= target/wheel-package
SCRIPTS_TORCH ?= target/scripts-torch
scripts: $(if $(filter file,$(origin PACKAGE)),test-python) ## run TpuLang's own tests and samples with tpulang's Python package, and compare with TpuLang (WHOLE=1: up to bmodels)
	sh conformance/setup.sh $(PEER)
	sh conformance/tpulang_scripts.sh $(SCRIPTS_TORCH) $(PEER)
	PYTHONPATH=$(PACKAGE) $(PEER)/bin/python conformance/tpulang_scripts.py --torch $(SCRIPTS_TORCH) --work build/scripts \
		--exceptions tests/script_exceptions.toml $(if $(WHOLE),--whole)

lowered: build ## compile networks to float16 bmodels for bm1684x, run them in the simulator, compare with tpulang
	sh conformance/setup.sh $(PEER)
	sh scripts/minilm.sh build/minilm
	$(PEER)/bin/python conformance/lowered.py --bin $(BIN)

calibration: build ## compare calibration tables with run_calibration's by the errors of INT8 networks (NETWORKS: folders of `make bench`)
	sh conformance/setup.sh $(PEER)
	sh conformance/tpulang_scripts.sh $(SCRIPTS_TORCH) $(PEER)
	$(PEER)/bin/python conformance/calibration.py --bin $(BIN) --torch $(SCRIPTS_TORCH) $(CALIBRATION) $(or $(NETWORKS),$(patsubst %,build/bench/%,resnet50 mobilenet_v2 yolo minilm_128 bert_128))

emulation: build ## compare `run --calibration` with the INT8 modules of tpu_mlir, layer by layer (NETWORKS: folders of `make bench`)
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/emulation.py --bin $(BIN) $(or $(NETWORKS),build/bench/resnet50 build/bench/mobilenet_v2 build/bench/efficientnet_b0)

deploy: build ## take networks to INT8 and F16 bmodels, and print the errors by stage (NETWORKS: folders of `make bench`)
	sh conformance/setup.sh $(PEER)
	TPULANG_TOOLCHAIN=$(PEER) $(PEER)/bin/python conformance/deploy.py --bin $(BIN) $(or $(NETWORKS),build/bench/resnet50 build/bench/mobilenet_v2)

toolchain: ## install TPU-MLIR's tool chain for `tpulang deploy`: the folder toolchain; needs Python 3.10
	sh conformance/setup.sh toolchain

ray: build ## calibrate with Ray's workers, kill one of them, and compare with a single process
	sh conformance/calibrate_ray.sh $(BIN) target/ray

quantized: build ## compare integer results with networks lowered for bm1684x, by function (TPULANG_CASES: cases that were lowered)
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/quantized.py --bin $(BIN) --cases "$(CASES)"

fuzz: build ## compare random graphs with TpuLang
	sh conformance/setup.sh $(PEER)
	$(PEER)/bin/python conformance/fuzz.py --bin $(BIN)

COUNT ?= 300
SEEDS ?= 0:$(COUNT)
GPU_EVERY ?= 0
fuzz-networks: build ## compare every tensor of random networks with PyTorch, and all ways of running them (SEEDS=FROM:TO or COUNT=N, GPU_EVERY=N)
	sh benches/setup.sh $(BENCH_PEER)
	$(BENCH_PEER)/bin/python conformance/fuzz_networks.py --bin $(BIN) --seeds $(SEEDS) --gpu-every $(GPU_EVERY) --keep build/fuzz-networks

gradients: build ## compare the gradients of every op, of whole models and of random networks with PyTorch; rewrites docs/gradients.md
	sh benches/setup.sh $(BENCH_PEER)
	rm -rf build/gradients
	$(BENCH_PEER)/bin/python conformance/gradients.py --bin $(BIN) --write --keep build/gradients
	if [ -e $(PEER)/ready ]; then $(PEER)/bin/python conformance/gradients_canonical.py --bin $(BIN) build/gradients; fi
	$(BENCH_PEER)/bin/python conformance/fuzz_gradients.py --bin $(BIN) --seeds 0:150

digits: setup ## train a network on handwritten digits, compared with PyTorch
	sh benches/setup.sh $(BENCH_PEER)
	cargo build --profile $(PROFILE) --example digits
	$(BENCH_PEER)/bin/python conformance/digits.py --example target/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))/examples/digits

show-test: build ## test the page of `show --html` in Chromium, installed with apt if it is missing
	sh scripts/show-test.sh $(BIN)

SECONDS ?= 600
TARGETS ?= spec safetensors npz torch onnx mlir_bytes mlir_grammar ops
fuzz-input: setup ## fuzz each file reader for SECONDS (needs cargo-fuzz and nightly Rust)
	for t in $(TARGETS); do mkdir -p fuzz/corpus/$$t && cargo +nightly fuzz run -O -s none $$t fuzz/corpus/$$t tests/ops tests/cases/Max tests/cases/Softmax tests/torch tests/onnx examples/patterns -- -max_total_time=$(SECONDS) -rss_limit_mb=3000 -timeout=20 || exit 1; done

models: setup ## compare the networks of examples/models with PyTorch, on small random weights
	sh benches/setup.sh $(BENCH_PEER)
	cargo build --bin tpulang --example model_weights
	$(BENCH_PEER)/bin/python conformance/models.py target/debug

minilm: setup ## fetch, convert and run a real language model, and pass it to tpuc-opt
	sh scripts/minilm.sh build/minilm
	cargo run --profile $(PROFILE) --example minilm
	if [ -e $(PEER)/ready ]; then $(PEER)/bin/python conformance/accept.py build/minilm/minilm_origin.mlir; fi

bench bench-quick: PROFILE = release
bench: build ## measure speed against TpuLang, onnxruntime, OpenVINO, rten, tract, PyTorch and pymlir: docs/performance.md (AGAIN=1: as a further run; TPULANG_INSTRUCTIONS=avx2: limited to AVX2)
	sh conformance/setup.sh $(PEER)
	sh benches/setup.sh $(BENCH_PEER)
	cargo build --release --manifest-path benches/rten/Cargo.toml --target-dir target/rten
	$(PEER)/bin/python benches/build_convert.py --bin $(BIN)
	$(BENCH_PEER)/bin/python benches/compare.py --bin $(BIN) --peer $(PEER) $(if $(AGAIN),--again)
	$(MAKE) calibration PROFILE=release CALIBRATION="--methods auto,kl,mse --write docs/performance/calibration.txt"
	$(BENCH_PEER)/bin/python benches/report.py docs/performance.md
	cargo bench -p tpulang-benches

bench-quick: build ## measure a few of these networks briefly: build/bench/performance.md
	sh benches/setup.sh $(BENCH_PEER)
	$(BENCH_PEER)/bin/python benches/compare.py --bin $(BIN) --peer $(PEER) --quick
