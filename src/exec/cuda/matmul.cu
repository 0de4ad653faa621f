#include "gemm.cuh"

// A batch of products of an m x k and a k x n matrix, with strides by row, depth and column. `places` has the offsets of each left
// and right matrix; without it they are evenly apart.
template <class T, class I>
__global__ void __launch_bounds__(256, Sum<T>::BLOCKS) product(const T* __restrict__ left, const T* __restrict__ right,
                                               const i64* __restrict__ places, i64 left_apart, i64 right_apart, i64 matrices,
                                               i64 m, i64 k, i64 n, i64 left_by_row, i64 left_by_depth, i64 right_by_depth,
                                               i64 right_by_column, EPILOGUE_PARAMETERS(T)) {
    for (i64 matrix = blockIdx.z; matrix < matrices; matrix += gridDim.z) {
        const T* a = left + (places ? places[2 * matrix] : matrix * left_apart);
        const T* b = right + (places ? places[2 * matrix + 1] : matrix * right_apart);
        const I row_step = left_by_row, left_step = left_by_depth, right_step = right_by_depth, column_step = right_by_column;
        tiled<T, I>(
            m, n, k, left_by_depth == 1, right_by_depth == 1, [=](I row, I i) { return a[row * row_step + i * left_step]; },
            [=](I i, I column) { return b[i * right_step + column * column_step]; },
            [=](I row, I column, typename Sum<T>::Total sum) { EPILOGUE((matrix * m + row) * n + column, sum); });
    }
}

// Few rows: one warp per column, or per several. The right matrix is read once.
template <class T>
__global__ void __launch_bounds__(256) few_rows(const T* __restrict__ left, const T* __restrict__ right,
                                                const i64* __restrict__ places, i64 left_apart, i64 right_apart, i64 matrices,
                                                i64 m, i64 k, i64 n, i64 left_by_row, i64 left_by_depth, i64 right_by_depth,
                                                i64 right_by_column, EPILOGUE_PARAMETERS(T)) {
    const int lane = threadIdx.x % 32;
    for (i64 w = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32; w < matrices * n; w += gridDim.x * (blockDim.x / 32)) {
        const i64 matrix = w / n, column = w % n;
        const T* a = left + (places ? places[2 * matrix] : matrix * left_apart);
        const T* b = right + (places ? places[2 * matrix + 1] : matrix * right_apart) + column * right_by_column;
        // One index instead of a matrix and a column: fewer registers live across the calls of an epilogue.
        i64 at = matrix * m * n + column;
        for (const i64 end = at + m * n; at < end; at += n, a += left_by_row) {
            Sum<T> all;
            for (i64 i = lane; i < k; i += 32) all.add(a[i * left_by_depth], b[i * right_by_depth]);
            float sum = all.total();
            for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
            if (lane == 0) EPILOGUE(at, sum);
        }
    }
}

// Unpacks a matrix of packed integers to floats; each group along k has a scale and a zero point.
__global__ void unpacked(const u8* __restrict__ bytes, const u8* __restrict__ zeros, const float* __restrict__ scales,
                         float* __restrict__ out, i64 n, i64 columns, i64 stored, i64 group, i64 width, i64 along_rows) {
    const i64 per_byte = 8 / width;
    FOR_ELEMENTS(i, n) {
        const i64 r = i / columns, c = i % columns;
        const i64 byte = along_rows ? r * stored + c / per_byte : r / per_byte * stored + c;
        const i64 part = along_rows ? c % per_byte : r % per_byte;
        const i64 of = along_rows ? r * (columns / group) + c / group : r / group * columns + c;
        const int value = bytes[byte] >> (part * width) & (255 >> (8 - width));
        out[i] = ((float)value - (float)zeros[of]) * scales[of];
    }
}

// Scales a matrix by blocks.
__global__ void by_squares(const float* __restrict__ values, const float* __restrict__ scales, float* __restrict__ out, i64 n,
                           i64 columns, i64 block, i64 across) {
    FOR_ELEMENTS(i, n) out[i] = values[i] * scales[i / columns / block * across + i % columns / block];
}
