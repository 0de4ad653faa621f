// Matrix products, one tile per block. Operands are read through functors, so that a convolution is a product whose right matrix is
// never stored.
constexpr int TILE = 64, DEPTH = 16, EACH = 4;

// Consumes the accumulator of element i: stores it, or applies a generated epilogue.
#ifndef EPILOGUE
#define EPILOGUE_PARAMETERS(T) typename Sum<T>::Total* __restrict__ sums
#define EPILOGUE(i, sum) sums[i] = sum
#endif

// Accumulators: float32 for floats, exact for integers.
template <class T> struct Sum;
template <> struct Sum<float> {
    float sum = 0;
    __device__ void add(float x, float y) { sum = fmaf(x, y, sum); }
    __device__ float total() const { return sum; }
    typedef float Total;
    // Blocks of 256 threads per multiprocessor, as many as the registers of a tile of accumulators allow.
    static constexpr int BLOCKS = 2;
};
template <> struct Sum<half> : Sum<float> {
    __device__ void add(half x, half y) { sum = fmaf((float)x, (float)y, sum); }
};
// 16-bit integers minus a zero point.
template <> struct Sum<int> {
    i64 sum = 0;
    __device__ void add(int x, int y) { sum += (i64)x * y; }
    __device__ i64 total() const { return sum; }
    typedef i64 Total;
    static constexpr int BLOCKS = 2;
};
// Wider integers, saturated at the end.
template <> struct Sum<i64> {
    __int128 sum = 0;
    __device__ void add(i64 x, i64 y) {
        const __int128 product = (__int128)x * y, most = ~((__int128)1 << 127);
        sum = product > 0 && sum > most - product ? most : product < 0 && sum < -most - product ? -most : sum + product;
    }
    __device__ i64 total() const {
        return sum < Range<i64>::low ? Range<i64>::low : sum > Range<i64>::high ? Range<i64>::high : (i64)sum;
    }
    typedef i64 Total;
    static constexpr int BLOCKS = 1;
};

// The product of left, m x k, and right, k x n: `left(row, i)`, `right(i, column)`, `store(row, column, sum)`. A block of 256
// threads computes a tile of 64 x 64 at a time, each thread 4 x 4 of it. Neighbouring threads read neighbouring i on the left
// where `left_by_depth`, otherwise neighbouring rows; columns on the right where not `right_by_depth`.
// Indices have the type I: 32 bits where the sizes allow, as 64-bit division is slow.
template <class T, class I, class Left, class Right, class Store>
__device__ inline void tiled(I m, I n, I k, bool left_by_depth, bool right_by_depth, Left left, Right right, Store store) {
    __shared__ T of_left[DEPTH][TILE + 4], of_right[DEPTH][TILE + 4];
    const int thread = threadIdx.x, down = thread / (TILE / EACH), across = thread % (TILE / EACH);
    for (I top = (I)blockIdx.y * TILE; top < m; top += (I)gridDim.y * TILE) {
        for (I first = (I)blockIdx.x * TILE; first < n; first += (I)gridDim.x * TILE) {
            Sum<T> sums[EACH][EACH];
            for (I at = 0; at < k; at += DEPTH) {
                for (int e = thread; e < TILE * DEPTH; e += 256) {
                    const int r = left_by_depth ? e / DEPTH : e % TILE, d = left_by_depth ? e % DEPTH : e / TILE;
                    of_left[d][r] = top + r < m && at + d < k ? left(top + r, at + d) : T(0);
                }
                for (int e = thread; e < TILE * DEPTH; e += 256) {
                    const int c = right_by_depth ? e / DEPTH : e % TILE, d = right_by_depth ? e % DEPTH : e / TILE;
                    of_right[d][c] = first + c < n && at + d < k ? right(at + d, first + c) : T(0);
                }
                __syncthreads();
                for (int d = 0; d < DEPTH; d++) {
                    T x[EACH], y[EACH];
                    UNROLLED(e, EACH) {
                        x[e] = of_left[d][down * EACH + e];
                        y[e] = of_right[d][across * EACH + e];
                    }
                    UNROLLED(r, EACH) UNROLLED(c, EACH) sums[r][c].add(x[r], y[c]);
                }
                __syncthreads();
            }
            UNROLLED(r, EACH) {
                UNROLLED(c, EACH) {
                    const I row = top + down * EACH + r, column = first + across * EACH + c;
                    if (row < m && column < n) store(row, column, sums[r][c].total());
                }
            }
        }
    }
}
