#include "block_reduce.cuh"

// Softmax or log-softmax of rows of n contiguous elements. One block per row.
template <class T>
__global__ void softmax(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, float beta, i64 is_log) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        Row<T> x(from + row * n, n);
        float row_max = -INFINITY, sum = 0;
        x.for_each([&](float& v) { row_max = Max<float>::of(row_max, beta * v); });
        row_max = block_reduce<Max, float>(row_max, -INFINITY);
        const bool keeps = x.is_kept && !is_log;
        x.for_each([&](float& v) {
            const float power = exp(beta * v - row_max);
            sum += power;
            if (keeps) v = power;
        });
        sum = block_reduce<Add, float>(sum, 0);
        const float normalizer = is_log ? row_max + log(sum) : 1 / sum;
        x.store(to + row * n, [&](i64, float v) {
            return is_log ? beta * v - normalizer : (keeps ? v : exp(beta * v - row_max)) * normalizer;
        });
    }
}

// The same for rows whose elements are `inner` apart. One thread per row, so that adjacent threads access adjacent elements.
template <class T>
__global__ void softmax_strided(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 inner, float beta,
                                i64 is_log) {
    FOR_ELEMENTS(row, rows) {
        const i64 first = row / inner * n * inner + row % inner;
        float row_max = -INFINITY, sum = 0;
        for (i64 i = 0; i < n; i++) row_max = Max<float>::of(row_max, beta * (float)from[first + i * inner]);
        for (i64 i = 0; i < n; i++) sum += exp(beta * (float)from[first + i * inner] - row_max);
        const float normalizer = is_log ? row_max + log(sum) : 1 / sum;
        for (i64 i = 0; i < n; i++) {
            const float x = beta * (float)from[first + i * inner];
            to[first + i * inner] = is_log ? x - normalizer : exp(x - row_max) * normalizer;
        }
    }
}

// Softmax of quantized bytes. `table` holds the exponentials by distance from the row's maximum. Sums in a fixed order, because
// each partial sum is rounded.
template <class T, class U>
__global__ void softmax_quantized(const T* __restrict__ from, U* __restrict__ to, const float* __restrict__ table, i64 rows,
                                  i64 n, i64 inner, double scale, i64 zero) {
    FOR_ELEMENTS(row, rows) {
        const i64 first = row / inner * n * inner + row % inner;
        int row_max = from[first];
        for (i64 i = 1; i < n; i++) row_max = from[first + i * inner] > row_max ? from[first + i * inner] : row_max;
        float sum = 0;
        for (i64 i = 0; i < n; i++) sum += table[row_max - from[first + i * inner]];
        for (i64 i = 0; i < n; i++) {
            const float real = (float)((double)table[row_max - from[first + i * inner]] / ((double)sum * scale));
            to[first + i * inner] = Stored<U>::of_int(saturating_add(to_int(rounded(real, AWAY_FROM_ZERO)), zero));
        }
    }
}
