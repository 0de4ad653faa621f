#include "block_reduce.cuh"

// The gated delta rule: a block a head of values of a sequence, whose matrix `states` keeps: n x n, a thread a column or several.
// Each step lets the matrix fade and corrects it by what it lacks. Queries and keys are brought to length 1 where that is asked
// for; as many heads of values share one of theirs.
__global__ void gated_delta(const float* __restrict__ query, const float* __restrict__ key, const float* __restrict__ value,
                            const float* __restrict__ g, const float* __restrict__ beta, const float* __restrict__ initial,
                            float* states, float* __restrict__ out, i64 batch, i64 steps, i64 heads, i64 shared, i64 n,
                            i64 normalised, float scale) {
    for (i64 row = blockIdx.x; row < batch * heads; row += gridDim.x) {
        const i64 head = row % heads, of_keys = head / (heads / shared);
        float* state = states + row * n * n;
        for (i64 j = threadIdx.x; j < n; j += blockDim.x)
            for (i64 i = 0; i < n; i++) state[i * n + j] = initial[row * n * n + i * n + j];
        for (i64 step = 0; step < steps; step++) {
            const i64 at = (row / heads * steps + step) * heads + head;
            const i64 first = ((row / heads * steps + step) * shared + of_keys) * n;
            const float *q = query + first, *k = key + first;
            float of_query = scale, of_key = 1;
            if (normalised) {
                float queries = 0, keys = 0;
                for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
                    queries += q[i] * q[i];
                    keys += k[i] * k[i];
                }
                of_query /= sqrt(in_block<Plus, float>(queries, 0) + 1e-6f);
                of_key /= sqrt(in_block<Plus, float>(keys, 0) + 1e-6f);
            }
            const float fading = exp(g[at]), weight = beta[at];
            for (i64 j = threadIdx.x; j < n; j += blockDim.x) {
                float lacking = value[at * n + j], sum = 0;
                for (i64 i = 0; i < n; i++) {
                    state[i * n + j] *= fading;
                    lacking -= k[i] * of_key * state[i * n + j];
                }
                for (i64 i = 0; i < n; i++) {
                    state[i * n + j] += k[i] * of_key * weight * lacking;
                    sum += q[i] * of_query * state[i * n + j];
                }
                out[at * n + j] = sum;
            }
        }
    }
}

// A state for each channel and entry of a batch: the first half of the channels from the first step to the last, the others back.
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
