// CUDA C compiled as C++ for the CPU. Blocks run one after the other. If the source has barriers, each thread of a block is
// a fiber, so that barriers are real; otherwise the threads run in a plain loop.
#pragma once
#define TPULANG_EMULATED 1
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#define __global__ static
#define __device__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __shared__ static thread_local

struct dim3 {
    unsigned x, y, z;
};

namespace emulated {
constexpr unsigned MAX_THREADS = 1024, WARP = 32;
constexpr size_t STACK = 96 << 10;
struct Fiber {
    ucontext_t begin;
    jmp_buf at;
    bool started, done;
};
// The state of the block that an OS thread runs.
struct Block {
    dim3 thread, block, size, grid;
    Fiber* fibers;
    jmp_buf scheduler;
    unsigned current, threads, alive, waiting, generation;
    unsigned warp_waiting[MAX_THREADS / WARP], warp_generation[MAX_THREADS / WARP];
    uint64_t slots[MAX_THREADS];
    void (*body)(void*);
    void* data;
    bool deadlocked;
};
static thread_local Block now;

static inline void yield() {
    if (!_setjmp(now.fibers[now.current].at)) _longjmp(now.scheduler, 1);
}
static inline void wait(unsigned& waiting, unsigned& generation, unsigned n) {
    const unsigned mine = generation;
    if (++waiting >= n) {
        waiting = 0;
        generation++;
        return;
    }
    while (generation == mine) yield();
}
static inline unsigned warp_size() {
    const unsigned first = now.current / WARP * WARP, left = now.threads - first;
    return left < WARP ? left : WARP;
}
static inline void wait_warp() {
    const unsigned w = now.current / WARP;
    wait(now.warp_waiting[w], now.warp_generation[w], warp_size());
}
template <class T> static T exchange(T value, unsigned lane) {
    static_assert(sizeof(T) <= 8, "a lane's value has 8 bytes at most");
    const unsigned first = now.current / WARP * WARP;
    memcpy(&now.slots[now.current], &value, sizeof value);
    wait_warp();
    if (lane < warp_size()) memcpy(&value, &now.slots[first + lane], sizeof value);
    wait_warp();
    return value;
}
static void enter() {
    now.body(now.data);
    now.fibers[now.current].done = true;
    now.alive--;
    _longjmp(now.scheduler, 1);
}
static inline dim3 thread_index(unsigned i) {
    return {i % now.size.x, i / now.size.x % now.size.y, i / (now.size.x * now.size.y)};
}
// Runs all threads of a block as fibers, which yield at barriers.
static void run_fibers(char* stacks) {
    now.waiting = now.generation = 0;
    memset(now.warp_waiting, 0, sizeof now.warp_waiting);
    memset(now.warp_generation, 0, sizeof now.warp_generation);
    for (unsigned i = 0; i < now.threads; i++) now.fibers[i].started = now.fibers[i].done = false;
    now.alive = now.threads;
    unsigned idle = 0;
    while (now.alive) {
        const unsigned alive = now.alive, generation = now.generation;
        unsigned warps = 0;
        for (unsigned w = 0; w * WARP < now.threads; w++) warps += now.warp_generation[w];
        for (volatile unsigned i = 0; i < now.threads; i++) {
            Fiber& fiber = now.fibers[i];
            if (fiber.done) continue;
            now.current = i;
            now.thread = thread_index(i);
            if (_setjmp(now.scheduler)) continue;
            if (fiber.started) _longjmp(fiber.at, 1);
            fiber.started = true;
            getcontext(&fiber.begin);
            fiber.begin.uc_stack.ss_sp = stacks + i * STACK;
            fiber.begin.uc_stack.ss_size = STACK;
            fiber.begin.uc_link = nullptr;
            makecontext(&fiber.begin, enter, 0);
            setcontext(&fiber.begin);
        }
        unsigned after = 0;
        for (unsigned w = 0; w * WARP < now.threads; w++) after += now.warp_generation[w];
        idle = alive == now.alive && generation == now.generation && warps == after ? idle + 1 : 0;
        if (idle > 4) {
            // Some threads wait for others that have ended or wait elsewhere.
            now.deadlocked = true;
            return;
        }
    }
}
template <class F> static void call(void* f) {
    (*(F*)f)();
}
template <class F> static int launch(dim3 grid, dim3 size, bool barriers, F body) {
    now.size = size;
    now.grid = grid;
    now.threads = size.x * size.y * size.z;
    now.deadlocked = false;
    now.body = call<F>;
    now.data = &body;
    char* stacks = nullptr;
    now.fibers = nullptr;
    if (barriers) {
        stacks = (char*)malloc(now.threads * STACK);
        now.fibers = (Fiber*)malloc(now.threads * sizeof(Fiber));
        if (!stacks || !now.fibers) abort();
    }
    for (unsigned z = 0; z < grid.z && !now.deadlocked; z++)
        for (unsigned y = 0; y < grid.y && !now.deadlocked; y++)
            for (unsigned x = 0; x < grid.x && !now.deadlocked; x++) {
                now.block = {x, y, z};
                if (barriers) {
                    run_fibers(stacks);
                    continue;
                }
                for (unsigned i = 0; i < now.threads; i++) {
                    now.current = i;
                    now.thread = thread_index(i);
                    body();
                }
            }
    free(stacks);
    free(now.fibers);
    return now.deadlocked;
}

template <size_t... I> struct Indices {};
template <size_t N, size_t... I> struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <size_t... I> struct MakeIndices<0, I...> { typedef Indices<I...> type; };

template <class... A, size_t... I>
static int apply(void (*kernel)(A...), void** arguments, dim3 grid, dim3 size, bool barriers, Indices<I...>) {
    return launch(grid, size, barriers, [=] { kernel(*(A*)arguments[I]...); });
}
// Returns the size of each parameter in bytes, terminated by 0.
template <class... A> static const unsigned char* sizes_of(void (*)(A...)) {
    static const unsigned char all[] = {sizeof(A)..., 0};
    return all;
}
// Returns 0 on success, or 1 if threads deadlock.
template <class... A>
static int enter_kernel(void (*kernel)(A...), void** arguments, const unsigned* g, bool barriers) {
    return apply(kernel, arguments, {g[0], g[1], g[2]}, {g[3], g[4], g[5]}, barriers, typename MakeIndices<sizeof...(A)>::type());
}
}  // namespace emulated

#define threadIdx (emulated::now.thread)
#define blockIdx (emulated::now.block)
#define blockDim (emulated::now.size)
#define gridDim (emulated::now.grid)
#define __syncthreads() emulated::wait(emulated::now.waiting, emulated::now.generation, emulated::now.threads)
#define __syncwarp(...) emulated::wait_warp()
template <class T> static T __shfl_xor_sync(unsigned, T value, int mask) {
    return emulated::exchange(value, (emulated::now.current % 32) ^ mask);
}
template <class T> static T __shfl_sync(unsigned, T value, int lane) {
    return emulated::exchange(value, (unsigned)lane);
}
template <class T> static T atomicAdd(T* at, T value) {
    T before = *at;
    *at += value;
    return before;
}
// Atomic between OS threads too, because their kernels share the fault records.
template <class T> static T atomicCAS(T* at, T expected, T value) {
    __atomic_compare_exchange_n(at, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
template <class T> static T atomicMax(T* at, T value) {
    T before = *at;
    if (before < value) *at = value;
    return before;
}
// Wraps a kernel as a function that the emulated driver finds and calls.
#define TPULANG_ENTRY(number, barriers, ...)                                                    \
    extern "C" int entry##number(void** arguments, const unsigned* geometry) {                  \
        return emulated::enter_kernel(__VA_ARGS__, arguments, geometry, barriers);              \
    }                                                                                           \
    extern "C" const unsigned char* entry##number##_sizes() {                                   \
        return emulated::sizes_of(__VA_ARGS__);                                                 \
    }
