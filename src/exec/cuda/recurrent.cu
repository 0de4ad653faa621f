#include "block_reduce.cuh"

// Recurrent layers: one block per sequence and direction, one warp per element of the state. `gates` holds the input
// projections, which are computed before: directions x positions x (gates * hidden).
struct Recurrence {
    i64 length, batch, directions, hidden, batch_first, has_bias, has_h, has_c, has_cont, linear_before_reset;
};

// One sequence in one direction.
struct Sequence {
    const Recurrence& u;
    i64 direction, b;
    // The number of gate rows. The bias has two values per row: one for the input, and one for the state.
    i64 rows;

    __device__ Sequence(const Recurrence& u, i64 row, i64 gates)
        : u(u), direction(row / u.batch), b(row % u.batch), rows(gates * u.hidden) {}
    // The row of the initial and final states.
    __device__ i64 state() const { return u.batch_first ? b * u.directions + direction : direction * u.batch + b; }
    // The position of a step. The second direction runs backward.
    __device__ i64 at(i64 step) const { return direction ? u.length - 1 - step : step; }
    __device__ i64 input_row(i64 at) const { return u.batch_first ? b * u.length + at : at * u.batch + b; }
    __device__ i64 output_row(i64 at) const {
        return u.batch_first ? input_row(at) * u.directions + direction : (at * u.directions + direction) * u.batch + b;
    }
    // The input's contribution to a row of the gates.
    __device__ __forceinline__ float input_projection(const float* gates, const float* bias, i64 at, i64 row) const {
        const float x = gates[(direction * u.length * u.batch + input_row(at)) * rows + row];
        return u.has_bias ? x + bias[direction * 2 * rows + row] : x;
    }
    // The state's contribution, computed by all lanes of a warp.
    __device__ __forceinline__ float state_projection(const float* weights, const float* bias, const float* state, float kept,
                                                      i64 row) const {
        float sum = 0;
        for (i64 k = threadIdx.x % 32; k < u.hidden; k += 32) {
            sum = fmaf(weights[(direction * rows + row) * u.hidden + k], state[k] * kept, sum);
        }
        sum = warp_reduce<Add>(sum);
        return u.has_bias ? sum + bias[(direction * 2 + 1) * rows + row] : sum;
    }
};

__device__ inline float sigmoid(float x) { return 1 / (1 + exp(-x)); }

// The gates are input, output, forget and cell. `memory` holds three vectors per sequence: two hidden states, used alternately,
// and the cell state.
__global__ void lstm(const float* __restrict__ gates, const float* __restrict__ weights, const float* __restrict__ bias,
                     const float* __restrict__ initial_h, const float* __restrict__ initial_c, const float* __restrict__ cont,
                     float* memory, float* __restrict__ all, float* __restrict__ last_h, float* __restrict__ last_c,
                     const Recurrence* __restrict__ recurrence) {
    const Recurrence u = *recurrence;
    const i64 n = u.hidden, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (i64 row = blockIdx.x; row < u.directions * u.batch; row += gridDim.x) {
        const Sequence s(u, row, 4);
        float *own = memory + row * 3 * n, *cells = own + 2 * n;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
            own[i] = u.has_h ? initial_h[s.state() * n + i] : 0.0f;
            cells[i] = u.has_c ? initial_c[s.state() * n + i] : 0.0f;
        }
        __syncthreads();
        for (i64 step = 0; step < u.length; step++) {
            const i64 at = s.at(step);
            const float kept = u.has_cont ? cont[at * u.batch + s.b] : 1.0f;
            const float* before = own + step % 2 * n;
            float* after = own + (step + 1) % 2 * n;
            for (i64 i = warp; i < n; i += warps) {
                float gate[4];
                for (int g = 0; g < 4; g++)
                    gate[g] = s.input_projection(gates, bias, at, g * n + i) +
                              s.state_projection(weights, bias, before, kept, g * n + i);
                if (threadIdx.x % 32) continue;
                cells[i] = sigmoid(gate[2]) * (cells[i] * kept) + sigmoid(gate[0]) * tanh(gate[3]);
                after[i] = all[s.output_row(at) * n + i] = sigmoid(gate[1]) * tanh(cells[i]);
            }
            __syncthreads();
        }
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
            last_h[s.state() * n + i] = own[u.length % 2 * n + i];
            last_c[s.state() * n + i] = cells[i];
        }
    }
}

// The gates are update, reset and hidden. `memory` holds three vectors per sequence: two hidden states, used alternately, and
// the reset gate's output.
__global__ void gru(const float* __restrict__ gates, const float* __restrict__ weights, const float* __restrict__ bias,
                    const float* __restrict__ initial_h, float* memory, float* __restrict__ all, float* __restrict__ last_h,
                    const Recurrence* __restrict__ recurrence) {
    const Recurrence u = *recurrence;
    const i64 n = u.hidden, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    for (i64 row = blockIdx.x; row < u.directions * u.batch; row += gridDim.x) {
        const Sequence s(u, row, 3);
        float *own = memory + row * 3 * n, *reset = own + 2 * n;
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) own[i] = u.has_h ? initial_h[s.state() * n + i] : 0.0f;
        __syncthreads();
        for (i64 step = 0; step < u.length; step++) {
            const i64 at = s.at(step);
            const float* before = own + step % 2 * n;
            float* after = own + (step + 1) % 2 * n;
            for (i64 i = warp; i < n; i += warps) {
                const float gate = s.input_projection(gates, bias, at, n + i) + s.state_projection(weights, bias, before, 1, n + i);
                if (threadIdx.x % 32 == 0) reset[i] = sigmoid(gate) * (u.linear_before_reset ? 1.0f : before[i]);
            }
            __syncthreads();
            for (i64 i = warp; i < n; i += warps) {
                const float* state = u.linear_before_reset ? before : reset;
                const float product = s.state_projection(weights, bias, state, 1, 2 * n + i);
                const float z = sigmoid(s.input_projection(gates, bias, at, i) + s.state_projection(weights, bias, before, 1, i));
                if (threadIdx.x % 32) continue;
                const float hidden = u.linear_before_reset ? reset[i] * product : product;
                const float candidate = tanh(s.input_projection(gates, bias, at, 2 * n + i) + hidden);
                after[i] = all[s.output_row(at) * n + i] = (1 - z) * candidate + z * before[i];
            }
            __syncthreads();
        }
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) last_h[s.state() * n + i] = own[u.length % 2 * n + i];
    }
}
