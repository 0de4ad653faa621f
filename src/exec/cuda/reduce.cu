#include "block_reduce.cuh"

// What becomes of rows of n: numbered as ReduceMode. Sums are in float64 and rounded once.
enum { MEAN, SUM, MAX, MIN, PROD, L1, L2 };

// Of the largest and the smallest the first stays where the comparison fails, so NaN is passed over, save in the first place.
__device__ inline double chosen(double x, double y, i64 mode) { return (mode == MAX ? y > x : y < x) ? y : x; }
__device__ inline double nothing(i64 mode) { return mode == MAX ? -INFINITY : mode == MIN ? INFINITY : mode == PROD ? 1 : 0; }
// What was found, and an element more.
__device__ inline double with(double found, double v, i64 mode) {
    switch (mode) {
        case MAX: case MIN: return chosen(found, v, mode);
        case PROD: return found * v;
        case L1: return found + fabs(v);
        case L2: return found + v * v;
        default: return found + v;
    }
}
// What was found in two parts.
__device__ inline double together(double x, double y, i64 mode) {
    return mode == MAX || mode == MIN ? chosen(x, y, mode) : mode == PROD ? x * y : x + y;
}
// What was found among n elements, the first of which is at hand.
__device__ inline float result(double found, float first, i64 n, i64 mode) {
    if (mode == MAX || mode == MIN) return n == 0 || first != first ? NAN : (float)found;
    return (float)(mode == MEAN ? found / n : mode == L2 ? sqrt(found) : found);
}

template <class T> __global__ void reduced(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 mode) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x = from + row * n;
        double found = nothing(mode);
        for_row(x, n, [&](i64, float v) { found = with(found, v, mode); });
        if (mode == MAX) found = in_block<Larger, double>(found, nothing(mode));
        else if (mode == MIN) found = in_block<Smaller, double>(found, nothing(mode));
        else if (mode == PROD) found = in_block<Times, double>(found, 1);
        else found = in_block<Plus, double>(found, 0);
        if (threadIdx.x == 0) to[row] = result(found, n ? (float)x[0] : 0.0f, n, mode);
    }
}

// Of elements that lie inner apart, what is found in each of `splits` parts of the n: a block of 8 rows of threads has 32
// neighbours.
template <class T>
__global__ void __launch_bounds__(256) reduced_apart(const T* __restrict__ from, double* __restrict__ parts, i64 outer, i64 n,
                                                     i64 inner, i64 splits, i64 mode) {
    __shared__ double of_rows[8][32];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    const i64 strips = (inner + 31) / 32;
    for (i64 job = blockIdx.x; job < outer * strips * splits; job += gridDim.x) {
        const i64 split = job % splits, column = job / splits % strips * 32 + x, o = job / splits / strips;
        const i64 end = n * (split + 1) / splits;
        double found = nothing(mode);
        if (column < inner)
            for (i64 r = n * split / splits + y; r < end; r += 8) found = with(found, (float)from[(o * n + r) * inner + column], mode);
        of_rows[y][x] = found;
        __syncthreads();
        if (y == 0 && column < inner) {
            for (int k = 1; k < 8; k++) found = together(found, of_rows[k][x], mode);
            parts[(o * inner + column) * splits + split] = found;
        }
        __syncthreads();
    }
}
template <class T>
__global__ void reduced_parts(const double* __restrict__ parts, const T* __restrict__ from, T* __restrict__ to, i64 outer, i64 n,
                              i64 inner, i64 splits, i64 mode) {
    FOR_ELEMENTS(i, outer * inner) {
        double found = nothing(mode);
        for (i64 s = 0; s < splits; s++) found = together(found, parts[i * splits + s], mode);
        to[i] = result(found, n ? (float)from[i / inner * n * inner + i % inner] : 0.0f, n, mode);
    }
}

// The variance of rows of n; `freedom` of them count.
__global__ void variance(const float* __restrict__ from, float* __restrict__ to, i64 rows, i64 n, double freedom) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const float* x = from + row * n;
        double mean = 0, squares = 0;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) mean += x[i];
        mean = in_block<Plus, double>(mean, 0) / n;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) squares += (x[i] - mean) * (x[i] - mean);
        squares = in_block<Plus, double>(squares, 0);
        if (threadIdx.x == 0) to[row] = (float)(squares / freedom);
    }
}

// Sums of all entries up to each, along an axis of n entries that lie inner apart.
template <class T> __device__ inline T next(T x, T y) { return x + y; }
template <> __device__ inline i64 next<i64>(i64 x, i64 y) { return plus(x, y); }
template <class T> __global__ void running(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 inner) {
    FOR_ELEMENTS(row, rows) {
        const i64 first = row / inner * n * inner + row % inner;
        T sum = 0;
        for (i64 i = 0; i < n; i++) {
            sum = i ? next<T>(sum, from[first + i * inner]) : from[first];
            to[first + i * inner] = sum;
        }
    }
}
