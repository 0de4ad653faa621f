// Interpolation. `rows` and `columns` hold the source index of each row and column of the result. Elements are copied as
// unsigned integers of the same size.
template <class T>
__global__ void interp_nearest(const T* __restrict__ from, T* __restrict__ to, const i64* __restrict__ rows,
                               const i64* __restrict__ columns, i64 height, i64 width, i64 down, i64 across, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 plane = i / across / down;
        to[i] = from[(plane * height + rows[i / across % down]) * width + columns[i % across]];
    }
}

// Bilinear: `downwards` and `sideways` are the weights of the next row and column. With a weight of 0 the next element is not
// read: it may be out of bounds, or infinite.
__global__ void interp_linear(const float* __restrict__ from, float* __restrict__ to, const i64* __restrict__ rows,
                              const float* __restrict__ downwards, const i64* __restrict__ columns,
                              const float* __restrict__ sideways, i64 height, i64 width, i64 down, i64 across, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 r = i / across % down, c = i % across;
        const float* at = from + (i / across / down * height + rows[r]) * width + columns[c];
        const float row_weight = downwards[r], column_weight = sideways[c];
        const float left = row_weight > 0 ? at[0] + row_weight * (at[width] - at[0]) : at[0];
        if (!(column_weight > 0)) {
            to[i] = left;
            continue;
        }
        const float right = row_weight > 0 ? at[1] + row_weight * (at[width + 1] - at[1]) : at[1];
        to[i] = left + column_weight * (right - left);
    }
}

// What a point outside the image reads.
enum { ZEROS, BORDER, REFLECTION };

// Reflects x at both ends until it is in range.
__device__ inline float reflect(float x, float low, float high) {
    const float span = high - low;
    if (span <= 0) return 0;
    const float distance = fabsf(x - low), reflections = floorf(distance / span), remainder = fmodf(distance, span);
    return fmodf(reflections, 2) == 0 ? remainder + low : span - remainder + low;
}
__device__ inline float clamp(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

// The two elements along an axis between which a coordinate from -1 to 1 lies, and their weights. The index is -1 if the
// element is outside.
struct Neighbors {
    i64 at[2];
    float weight[2];
};
__device__ inline Neighbors neighbors(float x, i64 count, i64 padding, i64 align_corners, i64 is_nearest) {
    const float d = (float)count;
    float at = align_corners ? (x + 1) / 2 * (d - 1) : ((x + 1) * d - 1) / 2;
    if (padding == REFLECTION) at = align_corners ? reflect(at, 0, d - 1) : reflect(at, -0.5f, d - 0.5f);
    if (padding != ZEROS) at = clamp(at, 0, d - 1);
    const float low = is_nearest ? (float)rounded(at, HALF_TO_EVEN) : floorf(at);
    Neighbors pair;
    pair.at[0] = low >= 0 && low < d ? (i64)low : -1;
    pair.at[1] = !is_nearest && low + 1 >= 0 && low + 1 < d ? (i64)(low + 1) : -1;
    pair.weight[0] = is_nearest ? 1 : low + 1 - at;
    pair.weight[1] = at - low;
    return pair;
}

// Samples images of channels x depth x height x width at points x, y and, if `axes` is 3, z.
__global__ void grid_sample(const float* __restrict__ from, const float* __restrict__ points, float* __restrict__ to,
                            i64 channels, i64 depth, i64 height, i64 width, i64 axes, i64 count, i64 padding, i64 align_corners,
                            i64 is_nearest, i64 n) {
    FOR_ELEMENTS(i, n) {
        const float* point = points + (i / count / channels * count + i % count) * axes;
        const float* image = from + i / count * depth * height * width;
        const Neighbors x = neighbors(point[0], width, padding, align_corners, is_nearest);
        const Neighbors y = neighbors(point[1], height, padding, align_corners, is_nearest);
        Neighbors z = {{0, -1}, {1, 0}};
        if (axes > 2) z = neighbors(point[2], depth, padding, align_corners, is_nearest);
        float sum = 0;
        for (int a = 0; a < 2; a++)
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 2; c++) {
                    if (z.at[a] < 0 || y.at[b] < 0 || x.at[c] < 0) continue;
                    const float weight = x.weight[c] * y.weight[b] * z.weight[a];
                    sum += image[(z.at[a] * height + y.at[b]) * width + x.at[c]] * weight;
                }
        to[i] = sum;
    }
}
