#include "block_reduce.cuh"

// Softmax, or its logarithm, of rows of n elements.
template <class T>
__global__ void softmax(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, float beta, i64 log_of_it) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const T* x = from + row * n;
        float largest = -INFINITY, sum = 0;
        for_row(x, n, [&](i64, float v) { largest = Larger<float>::of(largest, beta * v); });
        largest = in_block<Larger, float>(largest, -INFINITY);
        for_row(x, n, [&](i64, float v) { sum += exp(beta * v - largest); });
        sum = in_block<Plus, float>(sum, 0);
        const float of_all = log_of_it ? largest + log(sum) : 1 / sum;
        change_row(x, to + row * n, n, [&](i64, float v) {
            return log_of_it ? beta * v - of_all : exp(beta * v - largest) * of_all;
        });
    }
}

// Of rows whose elements lie inner apart: a thread a row, neighbours beside each other.
template <class T>
__global__ void softmax_apart(const T* __restrict__ from, T* __restrict__ to, i64 rows, i64 n, i64 inner, float beta,
                              i64 log_of_it) {
    FOR_ELEMENTS(row, rows) {
        const i64 first = row / inner * n * inner + row % inner;
        float largest = -INFINITY, sum = 0;
        for (i64 i = 0; i < n; i++) largest = Larger<float>::of(largest, beta * (float)from[first + i * inner]);
        for (i64 i = 0; i < n; i++) sum += exp(beta * (float)from[first + i * inner] - largest);
        const float of_all = log_of_it ? largest + log(sum) : 1 / sum;
        for (i64 i = 0; i < n; i++) {
            const float x = beta * (float)from[first + i * inner];
            to[first + i * inner] = log_of_it ? x - of_all : exp(x - largest) * of_all;
        }
    }
}

// Of stored bytes, by a table of the exponentials of distances from the largest. The sum is that of one order, as each of its
// steps is rounded.
template <class T, class U>
__global__ void softmax_stored(const T* __restrict__ from, U* __restrict__ to, const float* __restrict__ table, i64 rows, i64 n,
                               i64 inner, double scale, i64 zero) {
    FOR_ELEMENTS(row, rows) {
        const i64 first = row / inner * n * inner + row % inner;
        int largest = from[first];
        for (i64 i = 1; i < n; i++) largest = from[first + i * inner] > largest ? from[first + i * inner] : largest;
        float sum = 0;
        for (i64 i = 0; i < n; i++) sum += table[largest - from[first + i * inner]];
        for (i64 i = 0; i < n; i++) {
            const float real = (float)((double)table[largest - from[first + i * inner]] / ((double)sum * scale));
            to[first + i * inner] = Stored<U>::of_whole(plus(whole(rounded(real, AWAY_FROM_ZERO)), zero));
        }
    }
}
