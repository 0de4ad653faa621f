#include "windows.cuh"

// The range of elements that a window covers along each axis, clipped to the plane. Adaptive windows divide each axis into
// equal shares, which overlap if the division is not exact.
__device__ inline void window_range(const Windows& w, i64 pixel, bool adaptive, i64* from, i64* to) {
    for (int a = 2; a >= 0; a--) {
        const i64 at = pixel % w.positions[a], size = w.plane[a];
        pixel /= w.positions[a];
        if (adaptive) {
            from[a] = (i64)((__int128)at * size / w.positions[a]);
            to[a] = (i64)((((__int128)at + 1) * size + w.positions[a] - 1) / w.positions[a]);
            continue;
        }
        const i64 start = at * w.stride[a] - w.pad[a], end = start + w.kernel[a];
        to[a] = end < 0 ? 0 : end > size ? size : end;
        from[a] = start < 0 ? 0 : start > to[a] ? to[a] : start;
    }
}

// The lowest finite value of a type.
template <class T> struct Lowest { static constexpr float of = -3.402823466e+38f; };
template <> struct Lowest<half> { static constexpr float of = -65504.0f; };

// The maximum of each window, or NaN if it contains one. A window outside the plane yields the lowest finite value. With
// `has_offsets`, also stores the offset of the first maximum, or of the first NaN, in its plane.
template <class T>
__global__ void max_pool(const T* __restrict__ from, T* __restrict__ to, int* __restrict__ offsets,
                         const Windows* __restrict__ windows, i64 planes, i64 has_offsets) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    FOR_ELEMENTS(i, planes * pixels) {
        const T* plane = from + i / pixels * area;
        i64 start[3], end[3], offset = 0;
        window_range(w, i % pixels, false, start, end);
        bool found = false;
        float maximum = Lowest<T>::of;
        for (i64 d = start[0]; d < end[0]; d++)
            for (i64 r = start[1]; r < end[1]; r++)
                for (i64 c = start[2]; c < end[2]; c++) {
                    const i64 at = (d * w.plane[1] + r) * w.plane[2] + c;
                    const float v = plane[at];
                    if (!found || (maximum == maximum && (v > maximum || v != v))) {
                        maximum = v;
                        offset = at;
                        found = true;
                    }
                }
        to[i] = maximum;
        if (has_offsets) offsets[i] = (int)offset;
    }
}

// The mean of each window: the sum divided by `taps`, or if that is 0, by the number of elements within the plane; times `scale`.
template <class T>
__global__ void avg_pool(const T* __restrict__ from, T* __restrict__ to, const Windows* __restrict__ windows, i64 planes,
                         i64 taps, i64 adaptive, float scale) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    FOR_ELEMENTS(i, planes * pixels) {
        const T* plane = from + i / pixels * area;
        i64 start[3], end[3];
        window_range(w, i % pixels, adaptive, start, end);
        float sum = 0;
        for (i64 d = start[0]; d < end[0]; d++)
            for (i64 r = start[1]; r < end[1]; r++)
                for (i64 c = start[2]; c < end[2]; c++) sum += (float)plane[(d * w.plane[1] + r) * w.plane[2] + c];
        i64 n = taps ? taps : (end[0] - start[0]) * (end[1] - start[1]) * (end[2] - start[2]);
        to[i] = sum / (float)(n < 1 ? 1 : n) * scale;
    }
}

// Writes a mask with 1 at the first maximum of each `scale` x `scale` square. The mask's plane consists of whole squares, even
// if the input's does not.
__global__ void pool_mask(const float* __restrict__ from, float* __restrict__ to, i64 planes, i64 h, i64 w, i64 down,
                          i64 across, i64 scale) {
    const i64 squares = down * across;
    FOR_ELEMENTS(i, planes * squares) {
        const float* plane = from + i / squares * h * w;
        const i64 top = i % squares / across * scale, left = i % squares % across * scale;
        i64 y = top, x = left;
        for (i64 r = top; r < h && r < top + scale; r++)
            for (i64 c = left; c < w && c < left + scale; c++)
                if (plane[r * w + c] > plane[y * w + x]) {
                    y = r;
                    x = c;
                }
        float* out = to + i / squares * squares * scale * scale;
        for (i64 r = top; r < top + scale; r++)
            for (i64 c = left; c < left + scale; c++) out[r * across * scale + c] = r == y && c == x ? 1.0f : 0.0f;
    }
}
