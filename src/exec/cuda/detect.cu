#include "index.cuh"

// The samples of a cell of an axis, one after the other: `at` is the next, so many `count` in all.
struct Samples {
    float from, step, count, at;
    i64 entries;
};
// A sample: the entries that it lies between, and the weight of the second.
struct Sample {
    i64 low, high;
    float towards;
};

__device__ inline Samples samples(float start, float end, i64 cell, i64 cells, i64 wanted, i64 aligned, i64 entries) {
    const float length = aligned || end - start > 1 ? end - start : 1;
    const float size = length / (float)cells, least = ceilf(size) > 0 ? ceilf(size) : 0;
    Samples all;
    all.count = wanted > 0 ? (float)wanted : least;
    all.step = size / all.count;
    all.from = start + (float)cell * size;
    all.entries = entries;
    // Of a region far larger than the image most samples lie outside, and are not counted one by one.
    const float outside = floorf((-1 - all.from) / all.step - 1.5f);
    all.at = all.step > 0 && outside > 0 ? outside : 0;
    const bool is_finite = fabsf(all.from) < INFINITY && fabsf(all.step) < INFINITY;
    if (!is_finite) all.at = INFINITY;
    return all;
}
// The next sample that lies on the image, if there is one.
__device__ inline bool next(Samples& all, Sample& sample) {
    while (all.at < all.count) {
        const float place = all.from + (all.at + 0.5f) * all.step;
        if (all.step > 0 && place > (float)all.entries) return false;
        // A sum that does not grow any more would not end.
        all.at = all.at + 1 == all.at ? INFINITY : all.at + 1;
        if (!(place >= -1 && place <= (float)all.entries)) continue;
        const i64 last = all.entries - 1;
        const float within = place < 0 ? 0 : place > (float)last ? (float)last : place;
        sample.low = (i64)within < last ? (i64)within : last;
        sample.high = sample.low + 1 < last ? sample.low + 1 : last;
        sample.towards = within - (float)sample.low;
        return true;
    }
    return false;
}

// The mean, or where `is_max` the largest, of each cell of regions, whose numbers are an image and two corners. Samples outside
// the image are 0. Where `levels` are there, only regions of `level` are made.
__global__ void aligned(const float* __restrict__ from, const float* __restrict__ regions, const float* __restrict__ levels,
                        float* __restrict__ to, i64 images, i64 channels, i64 height, i64 width, i64 down, i64 across, i64 wanted,
                        i64 aligned, i64 is_max, float scale, i64 level, i64 level_count, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 column = i % across, row = i / across % down, channel = i / across / down % channels;
        const i64 region = i / across / down / channels;
        if (level_count && one_of(levels[region], LEVELS, level_count, faults) != level) continue;
        const float* roi = regions + region * 5;
        const float* plane = from + (one_of(roi[0], IMAGES, images, faults) * channels + channel) * height * width;
        const float offset = aligned ? 0.5f : 0;
        Samples rows = samples(roi[2] * scale - offset, roi[4] * scale - offset, row, down, wanted, aligned, height);
        const Samples columns = samples(roi[1] * scale - offset, roi[3] * scale - offset, column, across, wanted, aligned, width);
        const float count = rows.count * columns.count;
        float sum = 0, largest = 0;
        i64 seen = 0;
        Sample r, c;
        while (next(rows, r)) {
            Samples line = columns;
            while (next(line, c)) {
                const float *high = plane + r.low * width, *low = plane + r.high * width;
                const float above = high[c.low] * (1 - c.towards) + high[c.high] * c.towards;
                const float below = low[c.low] * (1 - c.towards) + low[c.high] * c.towards;
                const float v = above * (1 - r.towards) + below * r.towards;
                sum += v;
                if (!seen++ || v > largest || v != v) largest = v;
            }
        }
        // What lies outside is among the cell's numbers.
        const bool has_zero = (float)seen < count;
        if (has_zero && largest < 0) largest = 0;
        to[i] = is_max ? largest : count > 0 ? sum / count : 0;
    }
}

// From where to where a cell of an axis reaches.
__device__ inline void reach(i64 start, i64 end, i64 cell, i64 cells, i64 entries, i64* from, i64* to) {
    const float size = (float)(end - start + 1 > 1 ? end - start + 1 : 1) / (float)cells;
    const i64 low = (i64)floorf((float)cell * size) + start, high = (i64)ceilf((float)(cell + 1) * size) + start;
    *from = low < 0 ? 0 : low > entries ? entries : low;
    *to = high < 0 ? 0 : high > entries ? entries : high;
}
// A region's corner as a pixel.
__device__ inline i64 pixel(float corner, double scale) {
    const double at = rounded((double)corner * scale, AWAY_FROM_ZERO);
    return whole(at < -1e9 ? -1e9 : at > 1e9 ? 1e9 : at);
}

// The largest entry of each cell; 0 where a cell has none, and where all are less.
__global__ void pooled(const float* __restrict__ from, const float* __restrict__ regions, float* __restrict__ to, i64 images,
                       i64 channels, i64 height, i64 width, i64 down, i64 across, double scale, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 column = i % across, row = i / across % down, channel = i / across / down % channels;
        const float* roi = regions + i / across / down / channels * 5;
        const float* plane = from + (one_of(roi[0], IMAGES, images, faults) * channels + channel) * height * width;
        i64 top, bottom, left, right;
        reach(pixel(roi[2], scale), pixel(roi[4], scale), row, down, height, &top, &bottom);
        reach(pixel(roi[1], scale), pixel(roi[3], scale), column, across, width, &left, &right);
        float largest = 0;
        for (i64 y = top; y < bottom; y++)
            for (i64 x = left; x < right; x++) largest = plane[y * width + x] > largest ? plane[y * width + x] : largest;
        to[i] = largest;
    }
}
