#include "gemm.cuh"
#include "windows.cuh"

// Convolutions of images x groups x ic x plane, as products of each group's weights, oc x (ic x kernel), with what its windows
// show.
template <class T>
__global__ void __launch_bounds__(256, Sum<T>::BLOCKS) convolution(const T* __restrict__ image, const T* __restrict__ filter,
                                                   const Windows* __restrict__ windows, i64 images, i64 groups, i64 ic, i64 oc,
                                                   EPILOGUE_PARAMETERS(T)) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    const i64 taps = w.kernel[0] * w.kernel[1] * w.kernel[2], depth = ic * taps;
    for (i64 i = blockIdx.z; i < images * groups; i += gridDim.z) {
        const T *from = image + i * ic * area, *weights = filter + i % groups * oc * depth;
        tiled<T>(
            oc, pixels, depth, true, false, [=](i64 row, i64 at) { return weights[row * depth + at]; },
            [=](i64 at, i64 pixel) {
                i64 tap = at % taps, place = at / taps, size = area;
                i64 position[3];
                for (int a = 2; a >= 0; a--) {
                    position[a] = pixel % w.positions[a] * w.stride[a] + tap % w.kernel[a] * w.dilation[a] - w.pad[a];
                    pixel /= w.positions[a];
                    tap /= w.kernel[a];
                }
                for (int a = 0; a < 3; a++) {
                    if (position[a] < 0 || position[a] >= w.plane[a]) return T(0);
                    place = place * w.plane[a] + position[a];
                }
                return from[place];
            },
            [=](i64 row, i64 pixel, typename Sum<T>::Total sum) { EPILOGUE((i * oc + row) * pixels + pixel, sum); });
    }
}

// One input channel a group: a thread a result.
template <class T>
__global__ void depthwise(const T* __restrict__ image, const T* __restrict__ filter, const Windows* __restrict__ windows,
                          i64 images, i64 groups, i64 oc, EPILOGUE_PARAMETERS(T)) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    const i64 taps = w.kernel[0] * w.kernel[1] * w.kernel[2], channels = groups * oc;
    FOR_ELEMENTS(i, images * channels * pixels) {
        const i64 pixel = i % pixels, channel = i / pixels % channels, plane = i / pixels / oc;
        const T *from = image + plane * area, *weights = filter + channel * taps;
        const i64 x = pixel % w.positions[2], y = pixel / w.positions[2] % w.positions[1], z = pixel / w.positions[2] / w.positions[1];
        Sum<T> sum;
        for (i64 a = 0; a < w.kernel[0]; a++) {
            const i64 d = z * w.stride[0] + a * w.dilation[0] - w.pad[0];
            if (d < 0 || d >= w.plane[0]) continue;
            for (i64 b = 0; b < w.kernel[1]; b++) {
                const i64 r = y * w.stride[1] + b * w.dilation[1] - w.pad[1];
                if (r < 0 || r >= w.plane[1]) continue;
                for (i64 c = 0; c < w.kernel[2]; c++) {
                    const i64 s = x * w.stride[2] + c * w.dilation[2] - w.pad[2];
                    if (s < 0 || s >= w.plane[2]) continue;
                    sum.add(from[(d * w.plane[1] + r) * w.plane[2] + s], weights[(a * w.kernel[1] + b) * w.kernel[2] + c]);
                }
            }
        }
        EPILOGUE(i, sum.total());
    }
}

// Transposed: `plane` is the result's and `positions` are the input's. Each result is the sum of what its taps bring from the
// positions that spread over it. Weights of a group are ic x oc x kernel, or oc x ic x kernel where `oc_first`.
template <class T>
__global__ void __launch_bounds__(256, Sum<T>::BLOCKS) transposed(const T* __restrict__ image, const T* __restrict__ filter,
                                                  const Windows* __restrict__ windows, i64 images, i64 groups, i64 ic, i64 oc,
                                                  i64 oc_first, EPILOGUE_PARAMETERS(T)) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    const i64 taps = w.kernel[0] * w.kernel[1] * w.kernel[2], depth = ic * taps;
    for (i64 i = blockIdx.z; i < images * groups; i += gridDim.z) {
        const T *from = image + i * ic * pixels, *weights = filter + i % groups * oc * depth;
        tiled<T>(
            oc, area, depth, true, false,
            [=](i64 row, i64 at) {
                const i64 channel = at / taps, tap = at % taps;
                return weights[(oc_first ? row * ic + channel : channel * oc + row) * taps + tap];
            },
            [=](i64 at, i64 pixel) {
                i64 tap = at % taps, place = at / taps;
                i64 position[3];
                for (int a = 2; a >= 0; a--) {
                    position[a] = pixel % w.plane[a] + w.pad[a] - tap % w.kernel[a] * w.dilation[a];
                    pixel /= w.plane[a];
                    tap /= w.kernel[a];
                }
                for (int a = 0; a < 3; a++) {
                    if (position[a] < 0 || position[a] % w.stride[a]) return T(0);
                    position[a] /= w.stride[a];
                    if (position[a] >= w.positions[a]) return T(0);
                    place = place * w.positions[a] + position[a];
                }
                return from[place];
            },
            [=](i64 row, i64 pixel, typename Sum<T>::Total sum) { EPILOGUE((i * oc + row) * area + pixel, sum); });
    }
}
