#include "block_reduce.cuh"

// The gated delta rule. One block per value head of a sequence; each thread owns one or several columns of its n x n state
// matrix. Each step decays the state, then corrects it by the difference between the value and the prediction for the key. If
// `normalized`, queries and keys are scaled to length 1. Several value heads share a key head.
__global__ void gated_delta(const float* __restrict__ query, const float* __restrict__ key, const float* __restrict__ value,
                            const float* __restrict__ g, const float* __restrict__ beta, const float* __restrict__ initial,
                            float* states, float* __restrict__ out, i64 batch, i64 steps, i64 heads, i64 key_heads, i64 n,
                            i64 normalized, float scale) {
    for (i64 row = blockIdx.x; row < batch * heads; row += gridDim.x) {
        const i64 head = row % heads, key_head = head / (heads / key_heads);
        float* state = states + row * n * n;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x)
            for (i64 i = 0; i < n; i++) state[i * n + j] = initial[row * n * n + i * n + j];
        for (i64 step = 0; step < steps; step++) {
            const i64 at = (row / heads * steps + step) * heads + head;
            const i64 first = ((row / heads * steps + step) * key_heads + key_head) * n;
            const float *q = query + first, *k = key + first;
            float query_scale = scale, key_scale = 1;
            if (normalized) {
                float query_squares = 0, key_squares = 0;
                for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
                    query_squares += q[i] * q[i];
                    key_squares += k[i] * k[i];
                }
                query_scale /= sqrt(block_reduce<Add, float>(query_squares, 0) + 1e-6f);
                key_scale /= sqrt(block_reduce<Add, float>(key_squares, 0) + 1e-6f);
            }
            const float decay = exp(g[at]), weight = beta[at];
            for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
                float error = value[at * n + j], sum = 0;
                for (i64 i = 0; i < n; i++) {
                    state[i * n + j] *= decay;
                    error -= k[i] * key_scale * state[i * n + j];
                }
                for (i64 i = 0; i < n; i++) {
                    state[i * n + j] += k[i] * key_scale * weight * error;
                    sum += q[i] * query_scale * state[i * n + j];
                }
                out[at * n + j] = sum;
            }
        }
    }
}

// One state per channel and batch entry. The second half of the channels runs backward.
__global__ void selective_scan(const float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
                               const float* __restrict__ u, const float* __restrict__ d, float* __restrict__ out, i64 channels,
                               i64 length, i64 batch, i64 has_d) {
    FOR_ELEMENTS(e, channels * batch) {
        const i64 channel = e / batch, i = e % batch;
        float state = 0;
        for (i64 s = 0; s < length; s++) {
            const i64 step = channel < channels / 2 ? s : length - 1 - s;
            const i64 from = (channel * length + step) * batch + i, at = (step * channels + channel) * batch + i;
            state = a[from] * state + b[from];
            out[at] = state * c[at] + (has_d ? u[at] * d[channel] : 0.0f);
        }
    }
}
