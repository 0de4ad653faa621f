#include "block_reduce.cuh"

// Gradients of a convolution, by its definition. Where its elements meet: n x c x h x w of the input, o x c / groups x h x w of
// the filter, height and width of the result, strides, dilations, and the padding above and to the left.
struct Places {
    i64 input[4], filter[4], output[2], stride[2], dilation[2], pad[2], groups;
    // The place along an axis that a window sees with an entry of the filter, or -1.
    __device__ i64 seen(int axis, i64 window, i64 entry) const {
        const i64 at = window * stride[axis] + entry * dilation[axis] - pad[axis];
        return at >= 0 && at < input[2 + axis] ? at : -1;
    }
    // The window along an axis that sees a place with an entry of the filter, or -1.
    __device__ i64 window(int axis, i64 place, i64 entry) const {
        const i64 at = place + pad[axis] - entry * dilation[axis];
        return at >= 0 && at % stride[axis] == 0 && at / stride[axis] < output[axis] ? at / stride[axis] : -1;
    }
};

// A block an entry of the filter, in float64.
__global__ void filter_gradient(const float* __restrict__ x, const float* __restrict__ grad, float* __restrict__ out,
                                const Places* __restrict__ places) {
    const Places p = *places;
    const i64 taps = p.filter[2] * p.filter[3], each = p.filter[1] * taps, area = p.output[0] * p.output[1];
    for (i64 i = blockIdx.x; i < p.filter[0] * each; i += gridDim.x) {
        const i64 channel = i / each, down = i % taps / p.filter[3], across = i % p.filter[3];
        const i64 from = channel / (p.filter[0] / p.groups) * p.filter[1] + i % each / taps;
        double sum = 0;
        for (i64 j = threadIdx.x; j < p.input[0] * area; j += blockDim.x) {
            const i64 image = j / area, r = p.seen(0, j % area / p.output[1], down), c = p.seen(1, j % p.output[1], across);
            if (r < 0 || c < 0) continue;
            const i64 plane = image * p.input[1] + from;
            sum += (double)grad[(image * p.filter[0] + channel) * area + j % area] * x[(plane * p.input[2] + r) * p.input[3] + c];
        }
        sum = in_block<Plus, double>(sum, 0);
        if (threadIdx.x == 0) out[i] = (float)sum;
    }
}

// A thread an element of the input.
__global__ void input_gradient(const float* __restrict__ filter, const float* __restrict__ grad, float* __restrict__ out,
                               const Places* __restrict__ places) {
    const Places p = *places;
    const i64 plane = p.input[2] * p.input[3], area = p.output[0] * p.output[1], results = p.filter[0] / p.groups;
    FOR_ELEMENTS(i, p.input[0] * p.input[1] * plane) {
        const i64 image = i / plane / p.input[1], channel = i / plane % p.input[1], group = channel / p.filter[1];
        float sum = 0;
        for (i64 to = group * results; to < (group + 1) * results; to++)
            for (i64 down = 0; down < p.filter[2]; down++) {
                const i64 y = p.window(0, i % plane / p.input[3], down);
                if (y < 0) continue;
                for (i64 across = 0; across < p.filter[3]; across++) {
                    const i64 x = p.window(1, i % p.input[3], across);
                    if (x < 0) continue;
                    const i64 entry = ((to * p.filter[1] + channel % p.filter[1]) * p.filter[2] + down) * p.filter[3] + across;
                    sum += grad[(image * p.filter[0] + to) * area + y * p.output[1] + x] * filter[entry];
                }
            }
        out[i] = sum;
    }
}

// A block a channel.
__global__ void bias_gradient(const float* __restrict__ grad, float* __restrict__ out, i64 images, i64 channels, i64 area) {
    for (i64 channel = blockIdx.x; channel < channels; channel += gridDim.x) {
        double sum = 0;
        for (i64 j = threadIdx.x; j < images * area; j += blockDim.x) sum += grad[(j / area * channels + channel) * area + j % area];
        sum = in_block<Plus, double>(sum, 0);
        if (threadIdx.x == 0) out[channel] = (float)sum;
    }
}
