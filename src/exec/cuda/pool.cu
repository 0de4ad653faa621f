#include "windows.cuh"

// From where to where the window of a pixel reaches along each axis, within the plane. Windows of an adaptive pool are the shares
// of each axis, which overlap where they do not divide it.
__device__ inline void reach(const Windows& w, i64 pixel, bool adaptive, i64* from, i64* to) {
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

// Of a type, among finite numbers.
template <class T> struct Lowest { static constexpr float of = -3.402823466e+38f; };
template <> struct Lowest<half> { static constexpr float of = -65504.0f; };

// The largest value of each window, NaN being larger than all; where a window lies outside entirely, the lowest number. With
// `places` its place in the plane too: the first one, or that of a NaN.
template <class T>
__global__ void max_pool(const T* __restrict__ from, T* __restrict__ to, int* __restrict__ places,
                         const Windows* __restrict__ windows, i64 planes, i64 has_places) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    FOR_ELEMENTS(i, planes * pixels) {
        const T* plane = from + i / pixels * area;
        i64 start[3], end[3], place = 0;
        reach(w, i % pixels, false, start, end);
        bool found = false;
        float largest = Lowest<T>::of;
        for (i64 d = start[0]; d < end[0]; d++)
            for (i64 r = start[1]; r < end[1]; r++)
                for (i64 c = start[2]; c < end[2]; c++) {
                    const i64 at = (d * w.plane[1] + r) * w.plane[2] + c;
                    const float v = plane[at];
                    if (!found || (largest == largest && (v > largest || v != v))) {
                        largest = v;
                        place = at;
                        found = true;
                    }
                }
        if (to) to[i] = largest;
        if (has_places) places[i] = (int)place;
    }
}

// The mean of each window, over so many taps, or where that is 0, over those within the plane.
template <class T>
__global__ void avg_pool(const T* __restrict__ from, T* __restrict__ to, const Windows* __restrict__ windows, i64 planes, i64 taps,
                         i64 adaptive) {
    const Windows w = *windows;
    const i64 area = w.plane[0] * w.plane[1] * w.plane[2], pixels = w.positions[0] * w.positions[1] * w.positions[2];
    FOR_ELEMENTS(i, planes * pixels) {
        const T* plane = from + i / pixels * area;
        i64 start[3], end[3];
        reach(w, i % pixels, adaptive, start, end);
        float sum = 0;
        for (i64 d = start[0]; d < end[0]; d++)
            for (i64 r = start[1]; r < end[1]; r++)
                for (i64 c = start[2]; c < end[2]; c++) sum += (float)plane[(d * w.plane[1] + r) * w.plane[2] + c];
        i64 n = taps ? taps : (end[0] - start[0]) * (end[1] - start[1]) * (end[2] - start[2]);
        to[i] = sum / (float)(n < 1 ? 1 : n);
    }
}

// 1 where the first of the largest of each square of `scale` stands, as a mask of a plane of whole squares.
__global__ void pool_mask(const float* __restrict__ from, float* __restrict__ to, i64 planes, i64 h, i64 w, i64 down, i64 across,
                          i64 scale) {
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
