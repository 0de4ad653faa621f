#include "index.cuh"

// The samples of a bin along one axis: `at` is the next of `count`.
struct Samples {
    float from, step, count, at;
    i64 size;
};
// A sample: the two elements to interpolate between, and the weight of the second.
struct Sample {
    i64 low, high;
    float weight;
};

__device__ inline Samples samples(float start, float end, i64 bin, i64 bins, i64 requested, i64 aligned, i64 size) {
    const float length = aligned || end - start > 1 ? end - start : 1;
    const float bin_size = length / (float)bins, adaptive = ceilf(bin_size) > 0 ? ceilf(bin_size) : 0;
    Samples all;
    all.count = requested > 0 ? (float)requested : adaptive;
    all.step = bin_size / all.count;
    all.from = start + (float)bin * bin_size;
    all.size = size;
    // Skips most samples before the image, which are very many if the region is far larger than the image.
    const float skipped = floorf((-1 - all.from) / all.step - 1.5f);
    all.at = all.step > 0 && skipped > 0 ? skipped : 0;
    const bool is_finite = fabsf(all.from) < INFINITY && fabsf(all.step) < INFINITY;
    if (!is_finite) all.at = INFINITY;
    return all;
}
// Advances to the next sample within the image. Returns false if there is none.
__device__ inline bool next(Samples& all, Sample& sample) {
    while (all.at < all.count) {
        const float position = all.from + (all.at + 0.5f) * all.step;
        if (all.step > 0 && position > (float)all.size) return false;
        // Stops where floats are too coarse to count further.
        all.at = all.at + 1 == all.at ? INFINITY : all.at + 1;
        if (!(position >= -1 && position <= (float)all.size)) continue;
        const i64 last = all.size - 1;
        const float clamped = position < 0 ? 0 : position > (float)last ? (float)last : position;
        sample.low = (i64)clamped < last ? (i64)clamped : last;
        sample.high = sample.low + 1 < last ? sample.low + 1 : last;
        sample.weight = clamped - (float)sample.low;
        return true;
    }
    return false;
}

// RoI align: the mean, or the maximum if `is_max`, of the samples in each bin of the regions. A region is an image index and
// two corners. Samples outside the image are 0. With levels, only the regions of `level` are computed.
__global__ void roi_align(const float* __restrict__ from, const float* __restrict__ regions, const float* __restrict__ levels,
                          float* __restrict__ to, i64 images, i64 channels, i64 height, i64 width, i64 down, i64 across,
                          i64 requested, i64 aligned, i64 is_max, float scale, i64 level, i64 level_count, Faults* faults,
                          i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 column = i % across, row = i / across % down, channel = i / across / down % channels;
        const i64 region = i / across / down / channels;
        if (level_count && checked_index(levels[region], LEVELS, level_count, faults) != level) continue;
        const float* roi = regions + region * 5;
        const float* plane = from + (checked_index(roi[0], IMAGES, images, faults) * channels + channel) * height * width;
        const float offset = aligned ? 0.5f : 0;
        Samples rows = samples(roi[2] * scale - offset, roi[4] * scale - offset, row, down, requested, aligned, height);
        const Samples columns =
            samples(roi[1] * scale - offset, roi[3] * scale - offset, column, across, requested, aligned, width);
        const float count = rows.count * columns.count;
        float sum = 0, maximum = 0;
        i64 seen = 0;
        Sample r, c;
        while (next(rows, r)) {
            Samples line = columns;
            while (next(line, c)) {
                const float *high = plane + r.low * width, *low = plane + r.high * width;
                const float above = high[c.low] * (1 - c.weight) + high[c.high] * c.weight;
                const float below = low[c.low] * (1 - c.weight) + low[c.high] * c.weight;
                const float v = above * (1 - r.weight) + below * r.weight;
                sum += v;
                if (!seen++ || v > maximum || v != v) maximum = v;
            }
        }
        // Samples outside the image also count.
        const bool has_zero = (float)seen < count;
        if (has_zero && maximum < 0) maximum = 0;
        to[i] = is_max ? maximum : count > 0 ? sum / count : 0;
    }
}

// The range of elements that a bin covers along one axis.
__device__ inline void bin_range(i64 start, i64 end, i64 bin, i64 bins, i64 size, i64* from, i64* to) {
    const float bin_size = (float)(end - start + 1 > 1 ? end - start + 1 : 1) / (float)bins;
    const i64 low = (i64)floorf((float)bin * bin_size) + start, high = (i64)ceilf((float)(bin + 1) * bin_size) + start;
    *from = low < 0 ? 0 : low > size ? size : low;
    *to = high < 0 ? 0 : high > size ? size : high;
}
// Rounds a corner of a region to a pixel.
__device__ inline i64 to_pixel(float corner, double scale) {
    const double at = rounded((double)corner * scale, AWAY_FROM_ZERO);
    return to_int(at < -1e9 ? -1e9 : at > 1e9 ? 1e9 : at);
}

// RoI pooling: the maximum of each bin, and at least 0; 0 for an empty bin.
__global__ void roi_pool(const float* __restrict__ from, const float* __restrict__ regions, float* __restrict__ to, i64 images,
                         i64 channels, i64 height, i64 width, i64 down, i64 across, double scale, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 column = i % across, row = i / across % down, channel = i / across / down % channels;
        const float* roi = regions + i / across / down / channels * 5;
        const float* plane = from + (checked_index(roi[0], IMAGES, images, faults) * channels + channel) * height * width;
        i64 top, bottom, left, right;
        bin_range(to_pixel(roi[2], scale), to_pixel(roi[4], scale), row, down, height, &top, &bottom);
        bin_range(to_pixel(roi[1], scale), to_pixel(roi[3], scale), column, across, width, &left, &right);
        float maximum = 0;
        for (i64 y = top; y < bottom; y++)
            for (i64 x = left; x < right; x++) maximum = plane[y * width + x] > maximum ? plane[y * width + x] : maximum;
        to[i] = maximum;
    }
}
