#include "gemm.cuh"

// A batch of products of an m x k and a k x n matrix, given the strides of rows, depth and columns. `offsets` holds the offsets
// of each left and right matrix; if it is null, matrices are at regular strides.
template <class T, class I>
__global__ void __launch_bounds__(256, Accumulator<T>::BLOCKS) matmul(const T* __restrict__ left, const T* __restrict__ right,
                                                                      const i64* __restrict__ offsets, i64 left_stride,
                                                                      i64 right_stride, i64 matrices, i64 m, i64 k, i64 n,
                                                                      i64 left_by_row, i64 left_by_depth, i64 right_by_depth,
                                                                      i64 right_by_column, EPILOGUE_PARAMETERS(T)) {
    for (i64 matrix = blockIdx.z; matrix < matrices; matrix += gridDim.z) {
        const T* a = left + (offsets ? offsets[2 * matrix] : matrix * left_stride);
        const T* b = right + (offsets ? offsets[2 * matrix + 1] : matrix * right_stride);
        const I row_step = left_by_row, left_step = left_by_depth, right_step = right_by_depth, column_step = right_by_column;
        tiled_gemm<T, I>(
            m, n, k, left_by_depth == 1, right_by_depth == 1, [=](I row, I i) { return a[row * row_step + i * left_step]; },
            [=](I i, I column) { return b[i * right_step + column * column_step]; },
            [=](I row, I column, typename Accumulator<T>::Value sum) { EPILOGUE((matrix * m + row) * n + column, sum); });
    }
}

// For few rows: one warp per column or several columns, so that the right matrix is read once.
template <class T>
__global__ void __launch_bounds__(256) matmul_few_rows(const T* __restrict__ left, const T* __restrict__ right,
                                                       const i64* __restrict__ offsets, i64 left_stride, i64 right_stride,
                                                       i64 matrices, i64 m, i64 k, i64 n, i64 left_by_row, i64 left_by_depth,
                                                       i64 right_by_depth, i64 right_by_column, EPILOGUE_PARAMETERS(T)) {
    const int lane = threadIdx.x % 32;
    for (i64 w = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32; w < matrices * n; w += gridDim.x * (blockDim.x / 32)) {
        const i64 matrix = w / n, column = w % n;
        const T* a = left + (offsets ? offsets[2 * matrix] : matrix * left_stride);
        const T* b = right + (offsets ? offsets[2 * matrix + 1] : matrix * right_stride) + column * right_by_column;
        // A single index, not a matrix and a column, keeps fewer registers live across an epilogue.
        i64 at = matrix * m * n + column;
        for (const i64 end = at + m * n; at < end; at += n, a += left_by_row) {
            Accumulator<T> all;
            for (i64 i = lane; i < k; i += 32) all.add(a[i * left_by_depth], b[i * right_by_depth]);
            float sum = all.total();
            for (int step = 16; step; step >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, step);
            if (lane == 0) EPILOGUE(at, sum);
        }
    }
}

// Dequantizes a matrix of packed integers. Each group along k has a scale and a zero point.
__global__ void dequantize(const u8* __restrict__ bytes, const u8* __restrict__ zeros, const float* __restrict__ scales,
                           float* __restrict__ out, i64 n, i64 columns, i64 stored, i64 group, i64 width, i64 by_row) {
    const i64 per_byte = 8 / width;
    FOR_ELEMENTS(i, n) {
        const i64 r = i / columns, c = i % columns;
        const i64 byte = by_row ? r * stored + c / per_byte : r / per_byte * stored + c;
        const i64 part = by_row ? c % per_byte : r % per_byte;
        const i64 of = by_row ? r * (columns / group) + c / group : r / group * columns + c;
        const int value = bytes[byte] >> (part * width) & (255 >> (8 - width));
        out[i] = ((float)value - (float)zeros[of]) * scales[of];
    }
}

// Multiplies each square block of a matrix by its scale.
__global__ void scale_blocks(const float* __restrict__ values, const float* __restrict__ scales, float* __restrict__ out, i64 n,
                             i64 columns, i64 block, i64 across) {
    FOR_ELEMENTS(i, n) out[i] = values[i] * scales[i / columns / block * across + i % columns / block];
}
