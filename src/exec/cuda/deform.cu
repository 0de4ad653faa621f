#include "gemm.cuh"
#include "windows.cuh"

// Bilinear interpolation in a plane; zero outside.
__device__ inline float sample_bilinear(const float* plane, i64 h, i64 w, float y, float x) {
    if (!(y > -1 && y < (float)h && x > -1 && x < (float)w)) return 0;
    const float top = floorf(y), left = floorf(x), dy = y - top, dx = x - left;
    const i64 r = (i64)top, c = (i64)left;
    auto value = [=](i64 row, i64 column) {
        return row >= 0 && row < h && column >= 0 && column < w ? plane[row * w + column] : 0.0f;
    };
    return (1 - dy) * ((1 - dx) * value(r, c) + dx * value(r, c + 1)) +
           dy * ((1 - dx) * value(r + 1, c) + dx * value(r + 1, c + 1));
}

// Deformable convolution as an implicit GEMM: each tap is sampled at an offset from its regular position. `sharing` channels
// share the offsets of a tap (first down, then across), and its factor if there is a mask.
__global__ void __launch_bounds__(256, Accumulator<float>::BLOCKS)
deformable_convolution(const float* __restrict__ image, const float* __restrict__ filter, const float* __restrict__ offsets,
                       const float* __restrict__ mask, const Windows* __restrict__ windows, i64 images, i64 groups, i64 ic,
                       i64 oc, i64 sharing, i64 has_mask, EPILOGUE_PARAMETERS(float)) {
    const Windows w = *windows;
    const i64 h = w.plane[1], width = w.plane[2], pixels = w.positions[1] * w.positions[2];
    const i64 taps = w.kernel[1] * w.kernel[2], depth = ic * taps;
    for (i64 i = blockIdx.z; i < images * groups; i += gridDim.z) {
        const float *input = image + i * ic * h * width, *weights = filter + i % groups * oc * depth;
        tiled_gemm<float, i64>(
            oc, pixels, depth, true, false, [=](i64 row, i64 at) { return weights[row * depth + at]; },
            [=](i64 at, i64 pixel) {
                const i64 channel = at / taps, tap = at % taps, first_offset = ((i * ic + channel) / sharing * taps + tap) * pixels;
                const i64 row = pixel / w.positions[2] * w.stride[1] + tap / w.kernel[2] * w.dilation[1] - w.pad[1];
                const i64 column = pixel % w.positions[2] * w.stride[2] + tap % w.kernel[2] * w.dilation[2] - w.pad[2];
                const float y = (float)row + offsets[2 * first_offset + pixel];
                const float x = (float)column + offsets[2 * first_offset + pixels + pixel];
                const float value = sample_bilinear(input + channel * h * width, h, width, y, x);
                return has_mask ? value * mask[first_offset + pixel] : value;
            },
            [=](i64 row, i64 pixel, float sum) { EPILOGUE((i * oc + row) * pixels + pixel, sum); });
    }
}
