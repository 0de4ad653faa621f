#include "index.cuh"
#include "block_reduce.cuh"

// Training: statistics in float64. A tensor is outer x parts x inner; a part is all elements with the same middle index.

__device__ inline i64 element_of(i64 part, i64 j, i64 parts, i64 inner) { return (j / inner * parts + part) * inner + j % inner; }
__device__ inline i64 part_of(i64 i, i64 parts, i64 inner) { return i / inner % parts; }

// The mean and variance of each part of n elements.
__global__ void statistics(const float* __restrict__ from, double* __restrict__ means, double* __restrict__ variances,
                           i64 parts, i64 inner, i64 n) {
    for (i64 part = blockIdx.x; part < parts; part += gridDim.x) {
        double mean = 0, squares = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) mean += from[element_of(part, j, parts, inner)];
        mean = block_reduce<Add, double>(mean, 0) / n;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const double deviation = from[element_of(part, j, parts, inner)] - mean;
            squares += deviation * deviation;
        }
        squares = block_reduce<Add, double>(squares, 0);
        if (threadIdx.x == 0) {
            means[part] = mean;
            variances[part] = squares / n;
        }
    }
}

// A statistic of each part: the mean, 1 / sqrt(variance + eps), an updated running mean or variance, or the weight or bias with
// the normalization folded in. The running variance is unbiased, as in PyTorch.
enum { MEAN, RSTD, RUNNING_MEAN, RUNNING_VARIANCE, SCALE, SHIFT };
__global__ void statistic(const double* __restrict__ means, const double* __restrict__ variances, const float* __restrict__ x,
                          const float* __restrict__ y, float* __restrict__ out, i64 parts, i64 n, i64 which, double eps,
                          double momentum) {
    FOR_ELEMENTS(p, parts) {
        const double rstd = 1 / sqrt(variances[p] + eps);
        double v = 0;
        switch (which) {
            case MEAN: v = means[p]; break;
            case RSTD: v = rstd; break;
            case RUNNING_MEAN: v = (1 - momentum) * x[p] + momentum * means[p]; break;
            case RUNNING_VARIANCE: v = (1 - momentum) * x[p] + momentum * (variances[p] * n / (n - 1.0)); break;
            case SCALE: v = x[p] * rstd; break;
            case SHIFT: v = y[p] - means[p] * (x[p] * rstd); break;
        }
        out[p] = (float)v;
    }
}

// Normalizes each element by the statistics of its part, then applies weight and bias, which may be partitioned differently.
__global__ void normalize(const float* __restrict__ from, float* __restrict__ to, const double* __restrict__ means,
                          const double* __restrict__ variances, const float* __restrict__ weight,
                          const float* __restrict__ bias, i64 n, i64 parts, i64 inner, i64 weights, i64 weight_inner,
                          i64 has_weight, i64 has_bias, double eps) {
    FOR_ELEMENTS(i, n) {
        const i64 p = part_of(i, parts, inner), w = part_of(i, weights, weight_inner);
        const double v = (from[i] - means[p]) * (1 / sqrt(variances[p] + eps)) * (has_weight ? weight[w] : 1);
        to[i] = (float)(has_bias ? v + bias[w] : v);
    }
}

// Replaces means by saved ones, if there are any, and variances by 1 / sqrt(variance + eps), saved or computed.
__global__ void use_saved(double* __restrict__ means, double* __restrict__ variances, const float* __restrict__ mean,
                          const float* __restrict__ rstd, i64 parts, i64 has_mean, i64 has_rstd, double eps) {
    FOR_ELEMENTS(p, parts) {
        if (has_mean) means[p] = mean[p];
        variances[p] = has_rstd ? rstd[p] : 1 / sqrt(variances[p] + eps);
    }
}

// The gradient of a normalization's input. One block per part.
__global__ void norm_gradient(const float* __restrict__ grad, const float* __restrict__ from, const double* __restrict__ means,
                              const double* __restrict__ rstds, const float* __restrict__ weight, float* __restrict__ out,
                              i64 n, i64 parts, i64 inner, i64 weights, i64 weight_inner, i64 has_weight) {
    for (i64 part = blockIdx.x; part < parts; part += gridDim.x) {
        const double mean = means[part], rstd = rstds[part];
        double sum = 0, projection = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = element_of(part, j, parts, inner);
            const double scaled = (double)grad[i] * (has_weight ? weight[part_of(i, weights, weight_inner)] : 1);
            sum += scaled;
            projection += scaled * ((from[i] - mean) * rstd);
        }
        sum = block_reduce<Add, double>(sum, 0) / n;
        projection = block_reduce<Add, double>(projection, 0) / n;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = element_of(part, j, parts, inner);
            const double scaled = (double)grad[i] * (has_weight ? weight[part_of(i, weights, weight_inner)] : 1);
            out[i] = (float)(rstd * (scaled - sum - (from[i] - mean) * rstd * projection));
        }
    }
}

// The gradients of weights and biases. One block per weight.
__global__ void weight_gradients(const float* __restrict__ grad, const float* __restrict__ from,
                                 const double* __restrict__ means, const double* __restrict__ rstds,
                                 float* __restrict__ weight_grad, float* __restrict__ bias_grad, i64 n, i64 parts, i64 inner,
                                 i64 weights, i64 weight_inner) {
    for (i64 w = blockIdx.x; w < weights; w += gridDim.x) {
        double projection = 0, sum = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = element_of(w, j, weights, weight_inner), p = part_of(i, parts, inner);
            projection += grad[i] * ((from[i] - means[p]) * rstds[p]);
            sum += grad[i];
        }
        projection = block_reduce<Add, double>(projection, 0);
        sum = block_reduce<Add, double>(sum, 0);
        if (threadIdx.x == 0) {
            weight_grad[w] = (float)projection;
            bias_grad[w] = (float)sum;
        }
    }
}

// The gradient of softmax over rows of n elements that are `inner` apart.
__global__ void softmax_gradient(const float* __restrict__ grad, const float* __restrict__ y, float* __restrict__ out, i64 rows,
                                 i64 n, i64 inner) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const i64 first = row / inner * n * inner + row % inner;
        double sum = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) sum += (double)grad[first + j * inner] * y[first + j * inner];
        sum = block_reduce<Add, double>(sum, 0);
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = first + j * inner;
            out[i] = (float)(y[i] * (grad[i] - sum));
        }
    }
}

// The gradient of max pooling: adds each window's gradient at the offset of its maximum. One thread per plane, so that the
// order of summation is fixed.
__global__ void pool_gradient(const float* __restrict__ grad, const i64* __restrict__ offsets, float* __restrict__ out,
                              i64 planes, i64 windows, i64 area, Faults* faults) {
    FOR_ELEMENTS(plane, planes) {
        float* to = out + plane * area;
        for (i64 i = 0; i < area; i++) to[i] = 0;
        for (i64 i = plane * windows; i < (plane + 1) * windows; i++)
            to[checked_index(offsets[i], PLACES, area, faults)] += grad[i];
    }
}
