// Tiled matrix products. Operands are read through functors, so an implicit GEMM needs no im2col matrix.
constexpr int TILE = 64, DEPTH = 16, PER_THREAD = 4;

// The epilogue: consumes the accumulator of element i. By default it stores the accumulator; a generated epilogue replaces it.
#ifndef EPILOGUE
#define EPILOGUE_PARAMETERS(T) typename Accumulator<T>::Value* __restrict__ out
#define EPILOGUE(i, sum) out[i] = sum
#endif

// Accumulators: float32 for floats, exact for integers.
template <class T> struct Accumulator;
template <> struct Accumulator<float> {
    float sum = 0;
    __device__ void add(float x, float y) { sum = fmaf(x, y, sum); }
    __device__ float total() const { return sum; }
    typedef float Value;
    // Resident blocks of 256 threads per multiprocessor, limited by the registers of a tile of accumulators.
    static constexpr int BLOCKS = 2;
};
template <> struct Accumulator<half> : Accumulator<float> {
    __device__ void add(half x, half y) { sum = fmaf((float)x, (float)y, sum); }
};
// For 16-bit integers minus their zero point.
template <> struct Accumulator<int> {
    i64 sum = 0;
    __device__ void add(int x, int y) { sum += (i64)x * y; }
    __device__ i64 total() const { return sum; }
    typedef i64 Value;
    static constexpr int BLOCKS = 2;
};
// For wider integers. Saturates at the end.
template <> struct Accumulator<i64> {
    __int128 sum = 0;
    __device__ void add(i64 x, i64 y) {
        const __int128 product = (__int128)x * y, most = ~((__int128)1 << 127);
        sum = product > 0 && sum > most - product ? most : product < 0 && sum < -most - product ? -most : sum + product;
    }
    __device__ i64 total() const {
        return sum < Range<i64>::low ? Range<i64>::low : sum > Range<i64>::high ? Range<i64>::high : (i64)sum;
    }
    typedef i64 Value;
    static constexpr int BLOCKS = 1;
};

// Computes the product of an m x k and a k x n matrix from `left(row, i)` and `right(i, column)`, and passes the results to
// `store(row, column, value)`. A block of 256 threads computes 64 x 64 tiles, each thread 4 x 4 elements. For coalesced loads,
// adjacent threads read along k if `left_by_depth` or `right_by_depth`, and otherwise along the rows of the left matrix or the
// columns of the right one. Indices have type I: 32 bits if the sizes allow it, because 64-bit division is slow.
template <class T, class I, class Left, class Right, class Store>
__device__ inline void tiled_gemm(I m, I n, I k, bool left_by_depth, bool right_by_depth, Left left, Right right, Store store) {
    __shared__ T left_tile[DEPTH][TILE + 4], right_tile[DEPTH][TILE + 4];
    const int thread = threadIdx.x, thread_row = thread / (TILE / PER_THREAD), thread_column = thread % (TILE / PER_THREAD);
    for (I row0 = (I)blockIdx.y * TILE; row0 < m; row0 += (I)gridDim.y * TILE) {
        for (I column0 = (I)blockIdx.x * TILE; column0 < n; column0 += (I)gridDim.x * TILE) {
            Accumulator<T> accumulators[PER_THREAD][PER_THREAD];
            for (I depth0 = 0; depth0 < k; depth0 += DEPTH) {
                for (int e = thread; e < TILE * DEPTH; e += 256) {
                    const int r = left_by_depth ? e / DEPTH : e % TILE, d = left_by_depth ? e % DEPTH : e / TILE;
                    left_tile[d][r] = row0 + r < m && depth0 + d < k ? left(row0 + r, depth0 + d) : T(0);
                }
                for (int e = thread; e < TILE * DEPTH; e += 256) {
                    const int c = right_by_depth ? e / DEPTH : e % TILE, d = right_by_depth ? e % DEPTH : e / TILE;
                    right_tile[d][c] = column0 + c < n && depth0 + d < k ? right(depth0 + d, column0 + c) : T(0);
                }
                __syncthreads();
                for (int d = 0; d < DEPTH; d++) {
                    T x[PER_THREAD], y[PER_THREAD];
                    UNROLLED(e, PER_THREAD) {
                        x[e] = left_tile[d][thread_row * PER_THREAD + e];
                        y[e] = right_tile[d][thread_column * PER_THREAD + e];
                    }
                    UNROLLED(r, PER_THREAD) UNROLLED(c, PER_THREAD) accumulators[r][c].add(x[r], y[c]);
                }
                __syncthreads();
            }
            UNROLLED(r, PER_THREAD) {
                UNROLLED(c, PER_THREAD) {
                    const I row = row0 + thread_row * PER_THREAD + r, column = column0 + thread_column * PER_THREAD + c;
                    if (row < m && column < n) store(row, column, accumulators[r][c].total());
                }
            }
        }
    }
}
