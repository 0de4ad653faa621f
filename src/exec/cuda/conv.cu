#include "gemm.cuh"
#include "windows.cuh"

// Convolution as an implicit GEMM: for each image and group, the oc x (ic * taps) filter times the windows' elements.
template <class T, class I>
__global__ void __launch_bounds__(256, Accumulator<T>::BLOCKS)
convolution(const T* __restrict__ image, const T* __restrict__ filter, const Windows* __restrict__ windows, i64 images,
            i64 groups, i64 ic, i64 oc, EPILOGUE_PARAMETERS(T)) {
    const WindowsOf<I> w = windows_as<I>(*windows);
    const I area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    const I taps = w.kernel[0] * w.kernel[1] * w.kernel[2], channels = ic, rows = oc, depth = channels * taps;
    for (i64 i = blockIdx.z; i < images * groups; i += gridDim.z) {
        const T *input = image + i * ic * area, *weights = filter + i % groups * oc * depth;
        tiled_gemm<T, I>(
            rows, pixels, depth, true, false, [=](I row, I at) { return weights[row * depth + at]; },
            [=](I at, I pixel) {
                I tap = at % taps, offset = at / taps, size = area;
                I position[3];
                UNROLLED(back, 3) {
                    const int a = 2 - back;
                    position[a] = pixel % w.positions[a] * w.stride[a] + tap % w.kernel[a] * w.dilation[a] - w.pad[a];
                    pixel /= w.positions[a];
                    tap /= w.kernel[a];
                }
                UNROLLED(a, 3) {
                    if (position[a] < 0 || position[a] >= w.plane[a]) return T(0);
                    offset = offset * w.plane[a] + position[a];
                }
                return input[offset];
            },
            [=](I row, I pixel, typename Accumulator<T>::Value sum) { EPILOGUE((i * oc + row) * pixels + pixel, sum); });
    }
}

// Depthwise convolution: one input channel per group, one thread per result.
template <class T, class I>
__global__ void depthwise(const T* __restrict__ image, const T* __restrict__ filter, const Windows* __restrict__ windows,
                          i64 images, i64 groups, i64 oc, EPILOGUE_PARAMETERS(T)) {
    const WindowsOf<I> w = windows_as<I>(*windows);
    const I area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    const I taps = w.kernel[0] * w.kernel[1] * w.kernel[2], each = oc, channels = groups * each, count = images * channels * pixels;
    FOR_INDICES(I, i, count) {
        const I pixel = i % pixels, channel = i / pixels % channels, plane = i / pixels / each;
        const T *input = image + (i64)plane * area, *weights = filter + channel * taps;
        const I x = pixel % w.positions[2], y = pixel / w.positions[2] % w.positions[1];
        const I z = pixel / w.positions[2] / w.positions[1];
        Accumulator<T> sum;
        for (I a = 0; a < w.kernel[0]; a++) {
            const I d = z * w.stride[0] + a * w.dilation[0] - w.pad[0];
            if (d < 0 || d >= w.plane[0]) continue;
            for (I b = 0; b < w.kernel[1]; b++) {
                const I r = y * w.stride[1] + b * w.dilation[1] - w.pad[1];
                if (r < 0 || r >= w.plane[1]) continue;
                for (I c = 0; c < w.kernel[2]; c++) {
                    const I s = x * w.stride[2] + c * w.dilation[2] - w.pad[2];
                    if (s < 0 || s >= w.plane[2]) continue;
                    sum.add(input[(d * w.plane[1] + r) * w.plane[2] + s], weights[(a * w.kernel[1] + b) * w.kernel[2] + c]);
                }
            }
        }
        EPILOGUE(i, sum.total());
    }
}

// The same for planes, windows of K x K and equal strides. A thread computes RESULTS results below each other, which share rows.
template <class T, class I, int K, int STRIDE>
__global__ void depthwise_plane(const T* __restrict__ image, const T* __restrict__ filter, const Windows* __restrict__ windows,
                                i64 images, i64 groups, i64 oc, EPILOGUE_PARAMETERS(T)) {
    constexpr int RESULTS = 4, ROWS = (RESULTS - 1) * STRIDE + K;
    const I rows = (I)windows->plane[1], columns = (I)windows->plane[2], pad_y = (I)windows->pad[1], pad_x = (I)windows->pad[2];
    const I height = (I)windows->positions[1], width = (I)windows->positions[2], strips = (height + RESULTS - 1) / RESULTS;
    const I each = oc, channels = groups * each, count = images * channels * strips * width;
    FOR_INDICES(I, i, count) {
        const I x = i % width, y = i / width % strips * RESULTS, plane = i / width / strips;
        const T *input = image + (i64)(plane / each) * rows * columns, *weights = filter + plane % channels * (K * K);
        const I top = y * STRIDE - pad_y, left = x * STRIDE - pad_x;
        T taps[K * K];
        UNROLLED(t, K * K) taps[t] = weights[t];
        Accumulator<T> sums[RESULTS];
        UNROLLED(r, ROWS) {
            if (top + r < 0 || top + r >= rows) continue;
            UNROLLED(s, K) {
                if (left + s < 0 || left + s >= columns) continue;
                const T pixel = input[(top + r) * columns + left + s];
                UNROLLED(k, RESULTS) {
                    const int tap = r - k * STRIDE;
                    if (tap >= 0 && tap < K) sums[k].add(pixel, taps[tap * K + s]);
                }
            }
        }
        UNROLLED(k, RESULTS) if (y + k < height) EPILOGUE((plane * height + y + k) * width + x, sums[k].total());
    }
}

// Transposed convolution: `plane` has the sizes of the result, `positions` those of the input. Each result sums over the taps
// and the input positions that reach it. The filter of a group is ic x oc x taps, or oc x ic x taps if `oc_first`.
template <class T, class I>
__global__ void __launch_bounds__(256, Accumulator<T>::BLOCKS)
transposed_convolution(const T* __restrict__ image, const T* __restrict__ filter, const Windows* __restrict__ windows,
                       i64 images, i64 groups, i64 ic, i64 oc, i64 oc_first, EPILOGUE_PARAMETERS(T)) {
    const WindowsOf<I> w = windows_as<I>(*windows);
    const I area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    const I taps = w.kernel[0] * w.kernel[1] * w.kernel[2], channels = ic, rows = oc, depth = channels * taps;
    for (i64 i = blockIdx.z; i < images * groups; i += gridDim.z) {
        const T *input = image + i * ic * pixels, *weights = filter + i % groups * oc * depth;
        tiled_gemm<T, I>(
            rows, area, depth, true, false,
            [=](I row, I at) {
                const I channel = at / taps, tap = at % taps;
                return weights[(oc_first ? row * channels + channel : channel * rows + row) * taps + tap];
            },
            [=](I at, I pixel) {
                I tap = at % taps, offset = at / taps;
                I position[3];
                UNROLLED(back, 3) {
                    const int a = 2 - back;
                    position[a] = pixel % w.plane[a] + w.pad[a] - tap % w.kernel[a] * w.dilation[a];
                    pixel /= w.plane[a];
                    tap /= w.kernel[a];
                }
                UNROLLED(a, 3) {
                    if (position[a] < 0 || position[a] % w.stride[a]) return T(0);
                    position[a] /= w.stride[a];
                    if (position[a] >= w.positions[a]) return T(0);
                    offset = offset * w.positions[a] + position[a];
                }
                return input[offset];
            },
            [=](I row, I pixel, typename Accumulator<T>::Value sum) { EPILOGUE((i * oc + row) * area + pixel, sum); });
    }
}
