#include "index.cuh"
#include "block_reduce.cuh"

// Training: statistics in float64. Elements belong to parts: so many, of `inner` elements in a row, again and again.

__device__ inline i64 place(i64 part, i64 j, i64 parts, i64 inner) { return (j / inner * parts + part) * inner + j % inner; }
__device__ inline i64 part_of(i64 i, i64 parts, i64 inner) { return i / inner % parts; }

// Mean and variance of each part of n elements.
__global__ void statistics(const float* __restrict__ from, double* __restrict__ means, double* __restrict__ variances, i64 parts,
                           i64 inner, i64 n) {
    for (i64 part = blockIdx.x; part < parts; part += gridDim.x) {
        double mean = 0, squares = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) mean += from[place(part, j, parts, inner)];
        mean = in_block<Plus, double>(mean, 0) / n;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const double off = from[place(part, j, parts, inner)] - mean;
            squares += off * off;
        }
        squares = in_block<Plus, double>(squares, 0);
        if (threadIdx.x == 0) {
            means[part] = mean;
            variances[part] = squares / n;
        }
    }
}

// What is known of each part: the mean, 1 / sqrt(variance + eps), running statistics brought up to date, and weight and bias with
// the normalisation in them. The running variance is that of the population, as PyTorch estimates it.
enum { MEAN, RSTD, RUNNING_MEAN, RUNNING_VARIANCE, SCALE, SHIFT };
__global__ void of_parts(const double* __restrict__ means, const double* __restrict__ variances, const float* __restrict__ x,
                         const float* __restrict__ y, float* __restrict__ out, i64 parts, i64 n, i64 what, double eps,
                         double momentum) {
    FOR_ELEMENTS(p, parts) {
        const double rstd = 1 / sqrt(variances[p] + eps);
        double v = 0;
        switch (what) {
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

// Each element less its part's mean, by its standard deviation; then by weight and bias, which may belong to other parts.
__global__ void normalised(const float* __restrict__ from, float* __restrict__ to, const double* __restrict__ means,
                           const double* __restrict__ variances, const float* __restrict__ weight, const float* __restrict__ bias,
                           i64 n, i64 parts, i64 inner, i64 weights, i64 weight_inner, i64 has_weight, i64 has_bias, double eps) {
    FOR_ELEMENTS(i, n) {
        const i64 p = part_of(i, parts, inner), w = part_of(i, weights, weight_inner);
        const double v = (from[i] - means[p]) * (1 / sqrt(variances[p] + eps)) * (has_weight ? weight[w] : 1);
        to[i] = (float)(has_bias ? v + bias[w] : v);
    }
}

// Means, and 1 / sqrt(variance + eps) in the place of the variances: those that were saved where they are there.
__global__ void saved(double* __restrict__ means, double* __restrict__ variances, const float* __restrict__ mean,
                      const float* __restrict__ rstd, i64 parts, i64 has_mean, i64 has_rstd, double eps) {
    FOR_ELEMENTS(p, parts) {
        if (has_mean) means[p] = mean[p];
        variances[p] = has_rstd ? rstd[p] : 1 / sqrt(variances[p] + eps);
    }
}

// The gradient of what was normalised: a block a part.
__global__ void input_gradient(const float* __restrict__ grad, const float* __restrict__ from, const double* __restrict__ means,
                               const double* __restrict__ rstds, const float* __restrict__ weight, float* __restrict__ out,
                               i64 n, i64 parts, i64 inner, i64 weights, i64 weight_inner, i64 has_weight) {
    for (i64 part = blockIdx.x; part < parts; part += gridDim.x) {
        const double mean = means[part], rstd = rstds[part];
        double sum = 0, along = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = place(part, j, parts, inner);
            const double scaled = (double)grad[i] * (has_weight ? weight[part_of(i, weights, weight_inner)] : 1);
            sum += scaled;
            along += scaled * ((from[i] - mean) * rstd);
        }
        sum = in_block<Plus, double>(sum, 0) / n;
        along = in_block<Plus, double>(along, 0) / n;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = place(part, j, parts, inner);
            const double scaled = (double)grad[i] * (has_weight ? weight[part_of(i, weights, weight_inner)] : 1);
            out[i] = (float)(rstd * (scaled - sum - (from[i] - mean) * rstd * along));
        }
    }
}

// The gradients of weights and biases: a block each.
__global__ void weight_gradients(const float* __restrict__ grad, const float* __restrict__ from, const double* __restrict__ means,
                                 const double* __restrict__ rstds, float* __restrict__ of_weight, float* __restrict__ of_bias,
                                 i64 n, i64 parts, i64 inner, i64 weights, i64 weight_inner) {
    for (i64 w = blockIdx.x; w < weights; w += gridDim.x) {
        double along = 0, sum = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = place(w, j, weights, weight_inner), p = part_of(i, parts, inner);
            along += grad[i] * ((from[i] - means[p]) * rstds[p]);
            sum += grad[i];
        }
        along = in_block<Plus, double>(along, 0);
        sum = in_block<Plus, double>(sum, 0);
        if (threadIdx.x == 0) {
            of_weight[w] = (float)along;
            of_bias[w] = (float)sum;
        }
    }
}

// Rows of n elements that lie `inner` apart.
__global__ void softmax_gradient(const float* __restrict__ grad, const float* __restrict__ y, float* __restrict__ out, i64 rows,
                                 i64 n, i64 inner) {
    for (i64 row = blockIdx.x; row < rows; row += gridDim.x) {
        const i64 first = row / inner * n * inner + row % inner;
        double sum = 0;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) sum += (double)grad[first + j * inner] * y[first + j * inner];
        sum = in_block<Plus, double>(sum, 0);
        for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
            const i64 i = first + j * inner;
            out[i] = (float)(y[i] * (grad[i] - sum));
        }
    }
}

// Each window's gradient goes to the place of its largest: a thread a plane, so that sums have one order.
__global__ void pool_gradient(const float* __restrict__ grad, const i64* __restrict__ places, float* __restrict__ out, i64 planes,
                              i64 windows, i64 area, Faults* faults) {
    FOR_ELEMENTS(plane, planes) {
        float* to = out + plane * area;
        for (i64 i = 0; i < area; i++) to[i] = 0;
        for (i64 i = plane * windows; i < (plane + 1) * windows; i++) to[one_of(places[i], PLACES, area, faults)] += grad[i];
    }
}
