#include "block_reduce.cuh"

// Layer norm and, without mean, RMS norm of rows of n elements. Weight and bias, if present, have one value per element of a
// row.
template <class T, class W>
__global__ void layer_norm(const T* __restrict__ from, T* __restrict__ to, const W* __restrict__ weight,
                           const W* __restrict__ bias, i64 rows, i64 n, i64 has_mean, i64 has_weight, i64 has_bias, float eps) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        Row<T> x(from + row * n, n);
        float mean = 0, squares = 0;
        if (has_mean) {
            x.for_each([&](float v) { mean += v; });
            mean = block_reduce<Add, float>(mean, 0) / n;
        }
        x.for_each([&](float v) { squares += (v - mean) * (v - mean); });
        const float factor = 1 / sqrt(block_reduce<Add, float>(squares, 0) / n + eps);
        x.store(to + row * n, [&](i64 i, float v) {
            const float normal = (v - mean) * factor * (has_weight ? (float)weight[i] : 1.0f);
            return has_bias ? normal + (float)bias[i] : normal;
        });
    }
}

// Group norm: one block per group of an image. A group has `each` channels of `inner` elements. Computes in float64.
__global__ void group_norm(const float* __restrict__ from, float* __restrict__ to, const float* __restrict__ weight,
                           const float* __restrict__ bias, i64 images, i64 groups, i64 each, i64 inner, i64 has_weight,
                           i64 has_bias, double eps) {
    const i64 n = each * inner;
    for (i64 row = blockIdx.x; row < images * groups; row += gridDim.x) {
        const float* x = from + row * n;
        double mean = 0, squares = 0;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) mean += x[i];
        mean = block_reduce<Add, double>(mean, 0) / n;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) squares += (x[i] - mean) * (x[i] - mean);
        const double factor = 1 / sqrt(block_reduce<Add, double>(squares, 0) / n + eps);
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
            const i64 channel = row % groups * each + i / inner;
            const double v = (x[i] - mean) * (factor * (has_weight ? weight[channel] : 1));
            to[row * n + i] = (float)(has_bias ? v + bias[channel] : v);
        }
    }
}

// Normalizes each pixel over its channels.
__global__ void pixel_norm(const float* __restrict__ from, float* __restrict__ to, const float* __restrict__ weight,
                           const float* __restrict__ bias, i64 images, i64 channels, i64 inner, i64 has_weight, i64 has_bias,
                           double eps) {
    FOR_ELEMENTS(i, images * inner) {
        const i64 first = i / inner * channels * inner + i % inner;
        double mean = 0, squares = 0;
        for (i64 c = 0; c < channels; c++) mean += from[first + c * inner] / (double)channels;
        for (i64 c = 0; c < channels; c++) {
            const double off = from[first + c * inner] - mean;
            squares += off * off / channels;
        }
        const double factor = 1 / sqrt(squares + eps);
        for (i64 c = 0; c < channels; c++) {
            const double v = (from[first + c * inner] - mean) * factor * (has_weight ? weight[c] : 1);
            to[first + c * inner] = (float)(has_bias ? v + bias[c] : v);
        }
    }
}

// Divides by the L2 norm of the channels of each pixel, or of the whole image if `across`, and multiplies by the channel's
// scale.
__global__ void l2_normalize(const float* __restrict__ from, float* __restrict__ to, const float* __restrict__ scale,
                             i64 images, i64 channels, i64 inner, i64 across) {
    for (i64 row = blockIdx.x; row < (across ? images : images * inner); row += gridDim.x) {
        const i64 n = across ? channels * inner : channels, step = across ? 1 : inner;
        const i64 first = across ? row * n : row / inner * channels * inner + row % inner;
        double squares = 0;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) squares += (double)from[first + i * step] * from[first + i * step];
        const double length = sqrt(block_reduce<Add, double>(squares, 0));
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
            to[first + i * step] = (float)(from[first + i * step] / length * scale[across ? i / inner : i]);
        }
    }
}

// Local response normalization over the `before` preceding and the `after` following channels, and the channel itself.
__global__ void local_response_norm(const float* __restrict__ from, float* __restrict__ to, i64 images, i64 channels, i64 inner,
                                    i64 before, i64 after, double bias, double alpha, double beta) {
    FOR_ELEMENTS(i, images * channels * inner) {
        const i64 c = i / inner % channels, first = i - c * inner;
        const i64 start = c > before ? c - before : 0, end = after < channels - 1 - c ? c + after : channels - 1;
        double squares = 0;
        for (i64 k = start; k <= end; k++) squares += (double)from[first + k * inner] * from[first + k * inner];
        to[i] = (float)(from[i] / pow(bias + alpha * squares, beta));
    }
}
