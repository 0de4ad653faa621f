// Where entries of resampled axes come from: an entry, and how far towards the next one. Elements are moved by their bits.
template <class T>
__global__ void nearest(const T* __restrict__ from, T* __restrict__ to, const i64* __restrict__ rows, const i64* __restrict__ columns,
                        i64 height, i64 width, i64 down, i64 across, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 plane = i / across / down;
        to[i] = from[(plane * height + rows[i / across % down]) * width + columns[i % across]];
    }
}

// At the last entry nothing is read beyond it, nor multiplied by 0, since that may be infinite.
__global__ void linear(const float* __restrict__ from, float* __restrict__ to, const i64* __restrict__ rows,
                       const float* __restrict__ downwards, const i64* __restrict__ columns, const float* __restrict__ sideways,
                       i64 height, i64 width, i64 down, i64 across, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 r = i / across % down, c = i % across;
        const float* at = from + (i / across / down * height + rows[r]) * width + columns[c];
        const float lower = downwards[r], beside = sideways[c];
        const float here = lower > 0 ? at[0] + lower * (at[width] - at[0]) : at[0];
        if (!(beside > 0)) {
            to[i] = here;
            continue;
        }
        const float next = lower > 0 ? at[1] + lower * (at[width + 1] - at[1]) : at[1];
        to[i] = here + beside * (next - here);
    }
}

// What stands outside an image.
enum { ZEROS, BORDER, REFLECTION };

// A number mirrored at both ends until it lies between them.
__device__ inline float reflected(float x, float low, float high) {
    const float span = high - low;
    if (span <= 0) return 0;
    const float beyond = fabsf(x - low), turns = floorf(beyond / span), rest = fmodf(beyond, span);
    return fmodf(turns, 2) == 0 ? rest + low : span - rest + low;
}
__device__ inline float within(float x, float low, float high) { return x < low ? low : x > high ? high : x; }

// The entries that a place lies between, which runs from -1 to 1 over an axis, and the weight of each; -1 for those outside.
struct Ends {
    i64 at[2];
    float weight[2];
};
__device__ inline Ends ends(float x, i64 count, i64 padding, i64 align_corners, i64 is_nearest) {
    const float d = (float)count;
    float at = align_corners ? (x + 1) / 2 * (d - 1) : ((x + 1) * d - 1) / 2;
    if (padding == REFLECTION) at = align_corners ? reflected(at, 0, d - 1) : reflected(at, -0.5f, d - 0.5f);
    if (padding != ZEROS) at = within(at, 0, d - 1);
    const float low = is_nearest ? (float)rounded(at, HALF_TO_EVEN) : floorf(at);
    Ends found;
    found.at[0] = low >= 0 && low < d ? (i64)low : -1;
    found.at[1] = !is_nearest && low + 1 >= 0 && low + 1 < d ? (i64)(low + 1) : -1;
    found.weight[0] = is_nearest ? 1 : low + 1 - at;
    found.weight[1] = at - low;
    return found;
}

// Images of channels x depth x height x width at points, whose coordinates are x, y and, where it has three, z.
__global__ void sampled(const float* __restrict__ from, const float* __restrict__ points, float* __restrict__ to, i64 channels,
                        i64 depth, i64 height, i64 width, i64 axes, i64 count, i64 padding, i64 align_corners, i64 is_nearest, i64 n) {
    FOR_ELEMENTS(i, n) {
        const float* point = points + (i / count / channels * count + i % count) * axes;
        const float* image = from + i / count * depth * height * width;
        const Ends x = ends(point[0], width, padding, align_corners, is_nearest);
        const Ends y = ends(point[1], height, padding, align_corners, is_nearest);
        Ends z = {{0, -1}, {1, 0}};
        if (axes > 2) z = ends(point[2], depth, padding, align_corners, is_nearest);
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
