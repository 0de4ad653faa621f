#include "together.cuh"

// What becomes of rows of n: numbered as ReduceMode. Sums are in float64 and rounded once.
enum { MEAN, SUM, MAX, MIN, PROD, L1, L2 };

// Of the largest and the smallest the first stays where the comparison fails, so NaN is passed over, save in the first place.
__device__ inline float chosen(float x, float y, i64 mode) { return (mode == MAX ? y > x : y < x) ? y : x; }

template <class T> __global__ void reduced(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 mode) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x = from + row * n;
        if (mode == MAX || mode == MIN) {
            // NaN in the first place stays, as nothing compares with it.
            const float nothing = mode == MAX ? -INFINITY : INFINITY;
            float found = nothing;
            for_row(x, n, [&](i64, float v) { found = chosen(found, v, mode); });
            found = mode == MAX ? in_block<Larger, float>(found, nothing) : in_block<Smaller, float>(found, nothing);
            if (threadIdx.x == 0) to[row] = n == 0 || (float)x[0] != (float)x[0] ? NAN : found;
            continue;
        }
        double value = mode == PROD ? 1 : 0;
        for_row(x, n, [&](i64, double v) {
            value = mode == PROD ? value * v : value + (mode == L1 ? fabs(v) : mode == L2 ? v * v : v);
        });
        value = mode == PROD ? in_block<Times, double>(value, 1) : in_block<Plus, double>(value, 0);
        if (threadIdx.x == 0) to[row] = (float)(mode == MEAN ? value / n : mode == L2 ? sqrt(value) : value);
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
