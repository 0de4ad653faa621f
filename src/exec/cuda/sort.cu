#include "block_reduce.cuh"

// Entries of rows in order: row r has n of them, `inner` apart. They are compared as they are stored, in float64.
__device__ inline i64 first_of(i64 row, i64 n, i64 inner) { return row / inner * n * inner + row % inner; }

// NaN is larger than all numbers.
__device__ inline bool less(double x, double y) { return x < y || (x == x && y != y); }
__device__ inline bool before(double x, double y, i64 largest) { return largest ? less(y, x) : less(x, y); }

// Each tile of so many entries of a row in order, of equal ones the first first.
template <class T>
__global__ void tiles(const T* __restrict__ from, i64* __restrict__ order, i64 rows, i64 n, i64 inner, i64 tile, i64 largest) {
    FOR_ELEMENTS(i, rows * n) {
        const i64 row = i / n, at = i % n, start = at / tile * tile, end = start + tile < n ? start + tile : n;
        const T* entries = from + first_of(row, n, inner);
        const double own = (double)entries[at * inner];
        i64 place = start;
        for (i64 k = start; k < end; k++) {
            const double other = (double)entries[k * inner];
            if (k < at ? !before(own, other, largest) : before(other, own, largest)) place++;
        }
        order[row * n + place] = at;
    }
}

// Every two runs that follow each other as one: each entry finds how many of the other run stand before it.
template <class T>
__global__ void merged(const T* __restrict__ from, const i64* __restrict__ order, i64* __restrict__ to, i64 rows, i64 n, i64 inner,
                       i64 run, i64 largest) {
    FOR_ELEMENTS(i, rows * n) {
        const i64 row = i / n, at = i % n, start = at / (2 * run) * 2 * run, middle = start + run;
        const T* entries = from + first_of(row, n, inner);
        const i64* own = order + row * n;
        const double value = (double)entries[own[at] * inner];
        const bool is_left = at < middle;
        const i64 begin = is_left ? middle : start;
        i64 low = begin < n ? begin : n, high = is_left ? start + 2 * run : middle;
        if (high > n) high = n;
        const i64 first = low;
        while (low < high) {
            const i64 half = low + (high - low) / 2;
            const double other = (double)entries[own[half] * inner];
            const bool stands_before = is_left ? before(other, value, largest) : !before(value, other, largest);
            if (stands_before) low = half + 1;
            else high = half;
        }
        to[row * n + at + (low - first) - (is_left ? 0 : run)] = own[at];
    }
}

// Which entry of each row is the largest or the smallest; of equal ones the first, or the last.
template <class T>
__global__ void best(const T* __restrict__ from, i64* __restrict__ order, i64 rows, i64 n, i64 inner, i64 largest, i64 last) {
    __shared__ double values[512];
    __shared__ i64 places[512];
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* entries = from + first_of(row, n, inner);
        i64 place = threadIdx.x;
        double value = place < n ? (double)entries[place * inner] : 0;
        for (i64 k = place + blockDim.x; k < n; k += blockDim.x) {
            const double other = (double)entries[k * inner];
            if (last ? !before(value, other, largest) : before(other, value, largest)) {
                value = other;
                place = k;
            }
        }
        values[threadIdx.x] = value;
        places[threadIdx.x] = place;
        __syncthreads();
        for (int step = blockDim.x / 2; step; step /= 2) {
            if (threadIdx.x < step && places[threadIdx.x + step] < n) {
                const double own = values[threadIdx.x], other = values[threadIdx.x + step];
                const i64 mine = places[threadIdx.x], others = places[threadIdx.x + step];
                const bool comes_later = last ? others > mine : others < mine;
                if (before(other, own, largest) || (!before(own, other, largest) && comes_later)) {
                    values[threadIdx.x] = other;
                    places[threadIdx.x] = others;
                }
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) order[row] = places[0];
        __syncthreads();
    }
}

// The first k of each row's order, of which `stored` are kept: the entries' indices, and the entries moved by their bits.
template <class T>
__global__ void chosen(const i64* __restrict__ order, const T* __restrict__ from, T* __restrict__ to, i64* __restrict__ indices,
                       i64 rows, i64 n, i64 inner, i64 stored, i64 k, i64 has_values) {
    FOR_ELEMENTS(i, rows * k) {
        const i64 row = i / inner / k * inner + i % inner, at = order[row * stored + i / inner % k];
        if (has_values) to[i] = from[first_of(row, n, inner) + at * inner];
        indices[i] = at;
    }
}
