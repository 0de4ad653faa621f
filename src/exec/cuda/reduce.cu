#include "block_reduce.cuh"

// Reductions, numbered as in reduce.rs. Sums are in float64 and rounded once.
enum { MEAN, SUM, MAX, MIN, L1, L2 };

// The maximum or minimum. A failed comparison keeps x, so NaN is skipped; `finish` handles a NaN in the first position.
__device__ inline double extremum(double x, double y, i64 mode) { return (mode == MAX ? y > x : y < x) ? y : x; }
__device__ inline double identity(i64 mode) { return mode == MAX ? -INFINITY : mode == MIN ? INFINITY : 0; }
// Accumulates one element.
__device__ inline double accumulate(double value, double v, i64 mode) {
    switch (mode) {
        case MAX: case MIN: return extremum(value, v, mode);
        case L1: return value + fabs(v);
        case L2: return value + v * v;
        default: return value + v;
    }
}
// Combines two partial results.
__device__ inline double combine(double x, double y, i64 mode) {
    return mode == MAX || mode == MIN ? extremum(x, y, mode) : x + y;
}
// The result for n elements, given the first of them.
__device__ inline double finish(double value, double first, i64 n, i64 mode) {
    if (mode == MAX || mode == MIN) return first != first ? NAN : value;
    return mode == MEAN ? value / n : mode == L2 ? sqrt(value) : value;
}
// Combines the partial results of a block's threads.
__device__ inline double reduced_in_block(double value, i64 mode) {
    if (mode == MAX) return block_reduce<Max, double>(value, identity(mode));
    if (mode == MIN) return block_reduce<Min, double>(value, identity(mode));
    return block_reduce<Add, double>(value, 0);
}

template <class T> __global__ void reduce_rows(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 mode) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        Row<T> x(from + row * n, n);
        double value = identity(mode);
        x.for_each([&](float v) { value = accumulate(value, v, mode); });
        value = reduced_in_block(value, mode);
        if (threadIdx.x == 0) to[row] = (float)finish(value, (float)from[row * n], n, mode);
    }
}
// Reduces rows of integers, and rounds.
__global__ void reduce_ints(const i64* __restrict__ from, i64* __restrict__ to, i64 rows, i64 n, i64 mode) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        double value = identity(mode);
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) value = accumulate(value, (double)from[row * n + i], mode);
        value = reduced_in_block(value, mode);
        if (threadIdx.x == 0) to[row] = to_int(rounded(finish(value, 0, n, mode), AWAY_FROM_ZERO));
    }
}

// Elements that a thread reads before it accumulates them.
constexpr int TOGETHER = 4;

// Reduces columns, whose elements are `inner` apart, to `splits` partial results each. A block of 8 x 32 threads reduces 32
// adjacent columns.
template <class T>
__global__ void __launch_bounds__(256) reduce_columns(const T* __restrict__ from, double* __restrict__ parts, i64 outer, i64 n,
                                                      i64 inner, i64 splits, i64 mode) {
    __shared__ double partials[8][32];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    const i64 strips = (inner + 31) / 32;
    for (i64 job = blockIdx.x; job < outer * strips * splits; job += gridDim.x) {
        const i64 split = job % splits, column = job / splits % strips * 32 + x, o = job / splits / strips;
        const i64 end = n * (split + 1) / splits;
        double value = identity(mode);
        if (column < inner)
            for (i64 r = n * split / splits + y; r < end; r += 8 * TOGETHER) {
                float v[TOGETHER];
                UNROLLED(k, TOGETHER) v[k] = r + 8 * k < end ? (float)from[(o * n + r + 8 * k) * inner + column] : 0.0f;
                UNROLLED(k, TOGETHER) if (r + 8 * k < end) value = accumulate(value, v[k], mode);
            }
        partials[y][x] = value;
        __syncthreads();
        if (y == 0 && column < inner) {
            for (int k = 1; k < 8; k++) value = combine(value, partials[k][x], mode);
            parts[(o * inner + column) * splits + split] = value;
        }
        __syncthreads();
    }
}
template <class T>
__global__ void combine_columns(const double* __restrict__ parts, const T* __restrict__ from, T* __restrict__ to, i64 outer,
                                i64 n, i64 inner, i64 splits, i64 mode) {
    FOR_ELEMENTS(i, outer * inner) {
        double value = identity(mode);
        for (i64 s = 0; s < splits; s++) value = combine(value, parts[i * splits + s], mode);
        to[i] = (float)finish(value, (float)from[i / inner * n * inner + i % inner], n, mode);
    }
}

// Products of columns, in order: products of parts might be infinite or 0 where that of all is not. Integers are rounded.
template <class T> __device__ inline T stored_product(double product) { return (float)product; }
template <> __device__ inline i64 stored_product<i64>(double product) { return to_int(rounded(product, AWAY_FROM_ZERO)); }
template <class T> __global__ void multiply_columns(const T* __restrict__ from, T* __restrict__ to, i64 outer, i64 n, i64 inner) {
    FOR_ELEMENTS(i, outer * inner) {
        double product = 1;
        for (i64 r = 0; r < n; r++) product *= (double)from[(i / inner * n + r) * inner + i % inner];
        to[i] = stored_product<T>(product);
    }
}

// The variance of rows of n elements: the sum of squared deviations divided by `freedom`.
__global__ void variance(const float* __restrict__ from, float* __restrict__ to, i64 rows, i64 n, double freedom) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x = from + row * n;
        double mean = 0, squares = 0;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) mean += x[i];
        mean = block_reduce<Add, double>(mean, 0) / n;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) squares += (x[i] - mean) * (x[i] - mean);
        squares = block_reduce<Add, double>(squares, 0);
        if (threadIdx.x == 0) to[row] = (float)(squares / freedom);
    }
}

// Cumulative sums along an axis of n elements that are `inner` apart. One thread per row.
template <class T> __device__ inline T add(T x, T y) { return x + y; }
template <> __device__ inline i64 add<i64>(i64 x, i64 y) { return saturating_add(x, y); }
template <class T> __global__ void cumulative_sum(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 inner) {
    FOR_ELEMENTS(row, rows) {
        const i64 first = row / inner * n * inner + row % inner;
        T sum = 0;
        for (i64 i = 0; i < n; i++) {
            sum = i ? add<T>(sum, from[first + i * inner]) : from[first];
            to[first + i * inner] = sum;
        }
    }
}
