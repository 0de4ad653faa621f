// Converts YUV 4:2:0 to one RGB channel per thread; four pixels share a chroma sample. Computes in float64, then
// rounds to float32, and to an integer unless `mode` is negative.
template <class T>
__global__ void yuv_to_rgb(const T* __restrict__ from, float* __restrict__ to, const double* __restrict__ factors, i64 width,
                           i64 pixels, i64 blue, i64 red, i64 step, i64 red_first, i64 mode, i64 n) {
    const double black_level = factors[0], luma_factor = factors[1];
    FOR_ELEMENTS(i, n) {
        const i64 plane = i / pixels, pixel = i % pixels;
        const T* image = from + plane / 3 * (pixels + pixels / 2);
        const i64 chroma = (pixel / width / 2 * (width / 2) + pixel % width / 2) * step;
        double yuv[3];
        const i64 offsets[3] = {pixel, blue + chroma, red + chroma};
        for (int k = 0; k < 3; k++) {
            const i64 value = to_int(image[offsets[k]]);
            yuv[k] = value < 0 ? 0 : value > 255 ? 255 : value;
        }
        const double y = luma_factor * (yuv[0] - black_level), u = yuv[1] - 128, v = yuv[2] - 128;
        double color = 0;
        switch (red_first ? plane % 3 : 2 - plane % 3) {
            case 0: color = y + factors[2] * v; break;
            case 1: color = y - factors[3] * u - factors[4] * v; break;
            case 2: color = y + factors[5] * u; break;
        }
        const float single = (float)color, clamped = single < 0 ? 0 : single > 255 ? 255 : single;
        to[i] = mode < 0 ? clamped : (float)rounded(clamped, (int)mode);
    }
}

// The correlation of the left features with the right ones, shifted by a disparity: the mean product over the channels of a
// group. 0 beyond the left edge.
__global__ void correlation(const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ to,
                            i64 channels, i64 disparities, i64 width, i64 plane, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 block = i / plane, pixel = i % plane, group = block / disparities, disparity = block % disparities;
        float sum = 0;
        if (pixel % width >= disparity) {
            for (i64 c = 0; c < channels; c++) {
                const i64 at = (group * channels + c) * plane + pixel;
                sum += left[at] * right[at - disparity];
            }
        }
        to[i] = sum / (float)channels;
    }
}

// A cost volume: for each disparity, the left features, and the right ones shifted by it. 0 beyond the left edge.
__global__ void concat_volume(const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ to,
                              i64 channels, i64 disparities, i64 height, i64 width, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 column = i % width, line = i / width % height, block = i / width / height;
        const i64 image = block / disparities / (2 * channels), channel = block / disparities % (2 * channels);
        const i64 disparity = channel < channels ? 0 : block % disparities;
        const float* features = channel < channels ? left : right;
        const i64 row = ((image * channels + channel % channels) * height + line) * width;
        to[i] = column < disparity ? 0 : features[row + column - disparity];
    }
}

// Slides a template over an image: the sum of squared differences, or the correlation coefficient, which is NaN if the image or
// the template is constant. Sums in float64.
__global__ void match_template(const float* __restrict__ image, const float* __restrict__ pattern, float* __restrict__ to,
                               i64 width, i64 rows, i64 columns, i64 across, i64 is_coefficient, i64 n) {
    const i64 taps = rows * columns;
    FOR_ELEMENTS(i, n) {
        const float* corner = image + i / across * width + i % across;
        double squares = 0, mean = 0, image_mean = 0;
        for (i64 k = 0; k < taps; k++) {
            const double t = pattern[k], v = corner[k / columns * width + k % columns];
            squares += (v - t) * (v - t);
            mean += t;
            image_mean += v;
        }
        if (!is_coefficient) {
            to[i] = (float)squares;
            continue;
        }
        mean /= (double)taps;
        image_mean /= (double)taps;
        double covariance = 0, image_squares = 0, pattern_squares = 0;
        for (i64 k = 0; k < taps; k++) {
            const double t = pattern[k] - mean, v = corner[k / columns * width + k % columns] - image_mean;
            covariance += t * v;
            image_squares += v * v;
            pattern_squares += t * t;
        }
        to[i] = (float)(covariance / sqrt(image_squares * pattern_squares));
    }
}
