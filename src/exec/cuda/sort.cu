#include "block_reduce.cuh"

// Sorts rows of n entries that are `inner` apart. Stored values are compared, as float64.
__device__ inline i64 row_offset(i64 row, i64 n, i64 inner) { return row / inner * n * inner + row % inner; }

// NaN is greater than all numbers.
__device__ inline bool less(double x, double y) { return x < y || (x == x && y != y); }
__device__ inline bool before(double x, double y, i64 descending) { return descending ? less(y, x) : less(x, y); }

// Sorts tiles of `tile` entries: each entry counts the entries before it. Ties keep their order.
template <class T>
__global__ void sort_tiles(const T* __restrict__ from, i64* __restrict__ order, i64 rows, i64 n, i64 inner, i64 tile,
                           i64 descending) {
    FOR_ELEMENTS(i, rows * n) {
        const i64 row = i / n, at = i % n, start = at / tile * tile, end = start + tile < n ? start + tile : n;
        const T* entries = from + row_offset(row, n, inner);
        const double own = (double)entries[at * inner];
        i64 rank = start;
        for (i64 k = start; k < end; k++) {
            const double other = (double)entries[k * inner];
            if (k < at ? !before(own, other, descending) : before(other, own, descending)) rank++;
        }
        order[row * n + rank] = at;
    }
}

// Merges adjacent sorted runs in pairs: each entry finds its rank in the other run by binary search.
template <class T>
__global__ void merge_runs(const T* __restrict__ from, const i64* __restrict__ order, i64* __restrict__ to, i64 rows, i64 n,
                           i64 inner, i64 run, i64 descending) {
    FOR_ELEMENTS(i, rows * n) {
        const i64 row = i / n, at = i % n, start = at / (2 * run) * 2 * run, middle = start + run;
        const T* entries = from + row_offset(row, n, inner);
        const i64* own = order + row * n;
        const double value = (double)entries[own[at] * inner];
        const bool is_left = at < middle;
        const i64 begin = is_left ? middle : start;
        i64 low = begin < n ? begin : n, high = is_left ? start + 2 * run : middle;
        if (high > n) high = n;
        const i64 first = low;
        while (low < high) {
            const i64 probe = low + (high - low) / 2;
            const double other = (double)entries[own[probe] * inner];
            const bool is_before = is_left ? before(other, value, descending) : !before(value, other, descending);
            if (is_before) low = probe + 1;
            else high = probe;
        }
        to[row * n + at + (low - first) - (is_left ? 0 : run)] = own[at];
    }
}

// The index of the maximum or minimum of each row: of ties, the first or the last.
template <class T>
__global__ void arg_extremum(const T* __restrict__ from, i64* __restrict__ order, i64 rows, i64 n, i64 inner, i64 largest,
                             i64 last) {
    __shared__ double values[512];
    __shared__ i64 indices[512];
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* entries = from + row_offset(row, n, inner);
        i64 index = threadIdx.x;
        double value = index < n ? (double)entries[index * inner] : 0;
        for (i64 k = index + blockDim.x; k < n; k += blockDim.x) {
            const double other = (double)entries[k * inner];
            if (last ? !before(value, other, largest) : before(other, value, largest)) {
                value = other;
                index = k;
            }
        }
        values[threadIdx.x] = value;
        indices[threadIdx.x] = index;
        __syncthreads();
        for (int step = blockDim.x / 2; step; step /= 2) {
            if (threadIdx.x < step && indices[threadIdx.x + step] < n) {
                const double own = values[threadIdx.x], other = values[threadIdx.x + step];
                const i64 mine = indices[threadIdx.x], others = indices[threadIdx.x + step];
                const bool wins_tie = last ? others > mine : others < mine;
                if (before(other, own, largest) || (!before(own, other, largest) && wins_tie)) {
                    values[threadIdx.x] = other;
                    indices[threadIdx.x] = others;
                }
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) order[row] = indices[0];
        __syncthreads();
    }
}

// Stores the first k entries of each row's order, which has `stored` indices: their indices, and the entries as unsigned
// integers of the same size.
template <class T>
__global__ void take_first(const i64* __restrict__ order, const T* __restrict__ from, T* __restrict__ to,
                           i64* __restrict__ indices, i64 rows, i64 n, i64 inner, i64 stored, i64 k, i64 has_values) {
    FOR_ELEMENTS(i, rows * k) {
        const i64 row = i / inner / k * inner + i % inner, at = order[row * stored + i / inner % k];
        if (has_values) to[i] = from[row_offset(row, n, inner) + at * inner];
        indices[i] = at;
    }
}
