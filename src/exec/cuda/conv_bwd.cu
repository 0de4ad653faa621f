#include "block_reduce.cuh"

// The geometry of a convolution whose gradients are computed: n x c x h x w of the input, oc x c/groups x h x w of the filter,
// height and width of the result, strides, dilations, and the padding before the first element.
struct ConvGeometry {
    i64 input[4], filter[4], output[2], stride[2], dilation[2], pad[2], groups;
    // The input position along an axis that a window multiplies by a filter tap, or -1 if it is in the padding.
    __device__ i64 input_index(int axis, i64 window, i64 tap) const {
        const i64 index = window * stride[axis] + tap * dilation[axis] - pad[axis];
        return index >= 0 && index < input[2 + axis] ? index : -1;
    }
    // The window along an axis that multiplies an input position by a filter tap, or -1 if there is none.
    __device__ i64 output_index(int axis, i64 position, i64 tap) const {
        const i64 index = position + pad[axis] - tap * dilation[axis];
        return index >= 0 && index % stride[axis] == 0 && index / stride[axis] < output[axis] ? index / stride[axis] : -1;
    }
};

// One block per element of the filter. Sums in float64.
__global__ void filter_gradient(const float* __restrict__ x, const float* __restrict__ grad, float* __restrict__ out,
                                const ConvGeometry* __restrict__ geometry) {
    const ConvGeometry p = *geometry;
    const i64 taps = p.filter[2] * p.filter[3], each = p.filter[1] * taps, area = p.output[0] * p.output[1];
    for (i64 i = blockIdx.x; i < p.filter[0] * each; i += gridDim.x) {
        const i64 channel = i / each, down = i % taps / p.filter[3], across = i % p.filter[3];
        const i64 from = channel / (p.filter[0] / p.groups) * p.filter[1] + i % each / taps;
        double sum = 0;
        for (i64 j = threadIdx.x; j < p.input[0] * area; j += blockDim.x) {
            const i64 image = j / area, r = p.input_index(0, j % area / p.output[1], down);
            const i64 c = p.input_index(1, j % p.output[1], across);
            if (r < 0 || c < 0) continue;
            const i64 plane = image * p.input[1] + from;
            sum += (double)grad[(image * p.filter[0] + channel) * area + j % area] * x[(plane * p.input[2] + r) * p.input[3] + c];
        }
        sum = block_reduce<Add, double>(sum, 0);
        if (threadIdx.x == 0) out[i] = (float)sum;
    }
}

// One thread per element of the input.
__global__ void input_gradient(const float* __restrict__ filter, const float* __restrict__ grad, float* __restrict__ out,
                               const ConvGeometry* __restrict__ geometry) {
    const ConvGeometry p = *geometry;
    const i64 plane = p.input[2] * p.input[3], area = p.output[0] * p.output[1], results = p.filter[0] / p.groups;
    FOR_ELEMENTS(i, p.input[0] * p.input[1] * plane) {
        const i64 image = i / plane / p.input[1], channel = i / plane % p.input[1], group = channel / p.filter[1];
        float sum = 0;
        for (i64 to = group * results; to < (group + 1) * results; to++)
            for (i64 down = 0; down < p.filter[2]; down++) {
                const i64 y = p.output_index(0, i % plane / p.input[3], down);
                if (y < 0) continue;
                for (i64 across = 0; across < p.filter[3]; across++) {
                    const i64 x = p.output_index(1, i % p.input[3], across);
                    if (x < 0) continue;
                    const i64 tap = ((to * p.filter[1] + channel % p.filter[1]) * p.filter[2] + down) * p.filter[3] + across;
                    sum += grad[(image * p.filter[0] + to) * area + y * p.output[1] + x] * filter[tap];
                }
            }
        out[i] = sum;
    }
}

// One block per channel.
__global__ void bias_gradient(const float* __restrict__ grad, float* __restrict__ out, i64 images, i64 channels, i64 area) {
    for (i64 channel = blockIdx.x; channel < channels; channel += gridDim.x) {
        double sum = 0;
        for (i64 j = threadIdx.x; j < images * area; j += blockDim.x)
            sum += grad[(j / area * channels + channel) * area + j % area];
        sum = block_reduce<Add, double>(sum, 0);
        if (threadIdx.x == 0) out[channel] = (float)sum;
    }
}
