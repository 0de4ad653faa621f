# syntax=docker/dockerfile:1
# The command in a small image:
#   docker build -t tpulang .
#   docker run --rm -v "$PWD:/work" tpulang check examples/patterns/patterns.json
# With `--gpus all` and a base image that has NVRTC, `run -d cuda` works, too.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY scripts/setup.sh scripts/setup.sh
RUN sh scripts/setup.sh /usr/lib/llvm-22
COPY . .
RUN --mount=type=cache,target=/usr/local/cargo/registry --mount=type=cache,target=/src/target \
    cargo build --locked --release --bin tpulang && cp target/release/tpulang /tpulang

FROM debian:12-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends libstdc++6 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /tpulang /usr/local/bin/tpulang
WORKDIR /work
USER 1000:1000
ENTRYPOINT ["tpulang"]
CMD ["--help"]
