// A pixel's colour of its brightness and of the colour differences that four pixels share. In float64, and held in float32
// before rounding; `mode` is negative where nothing is rounded.
template <class T>
__global__ void colours(const T* __restrict__ from, float* __restrict__ to, const double* __restrict__ factors, i64 width, i64 pixels,
                        i64 blue, i64 red, i64 step, i64 red_first, i64 mode, i64 n) {
    const double darkest = factors[0], bright = factors[1];
    FOR_ELEMENTS(i, n) {
        const i64 plane = i / pixels, pixel = i % pixels;
        const T* image = from + plane / 3 * (pixels + pixels / 2);
        const i64 shared = (pixel / width / 2 * (width / 2) + pixel % width / 2) * step;
        double yuv[3];
        const i64 places[3] = {pixel, blue + shared, red + shared};
        for (int k = 0; k < 3; k++) {
            const i64 value = whole(image[places[k]]);
            yuv[k] = value < 0 ? 0 : value > 255 ? 255 : value;
        }
        const double y = bright * (yuv[0] - darkest), u = yuv[1] - 128, v = yuv[2] - 128;
        double colour = 0;
        switch (red_first ? plane % 3 : 2 - plane % 3) {
            case 0: colour = y + factors[2] * v; break;
            case 1: colour = y - factors[3] * u - factors[4] * v; break;
            case 2: colour = y + factors[5] * u; break;
        }
        const float held = (float)colour, within = held < 0 ? 0 : held > 255 ? 255 : held;
        to[i] = mode < 0 ? within : (float)rounded(within, (int)mode);
    }
}

// The mean product of left features and of right ones some pixels back, over the channels of a group; 0 where there are none.
__global__ void correlation(const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ to, i64 channels,
                            i64 disparities, i64 width, i64 plane, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 block = i / plane, pixel = i % plane, group = block / disparities, back = block % disparities;
        float sum = 0;
        if (pixel % width >= back) {
            for (i64 c = 0; c < channels; c++) {
                const i64 at = (group * channels + c) * plane + pixel;
                sum += left[at] * right[at - back];
            }
        }
        to[i] = sum / (float)channels;
    }
}

// Left features for each disparity, then right ones so many pixels back; 0 where there are none.
__global__ void volume(const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ to, i64 channels,
                       i64 disparities, i64 height, i64 width, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 column = i % width, line = i / width % height, block = i / width / height;
        const i64 image = block / disparities / (2 * channels), channel = block / disparities % (2 * channels);
        const i64 back = channel < channels ? 0 : block % disparities;
        const float* features = channel < channels ? left : right;
        const i64 row = ((image * channels + channel % channels) * height + line) * width;
        to[i] = column < back ? 0 : features[row + column - back];
    }
}

// A template on each place of an image: the sum of squared differences, or the coefficient of correlation, which is NaN where
// image or template do not vary. Sums are in float64.
__global__ void matched(const float* __restrict__ image, const float* __restrict__ part, float* __restrict__ to, i64 width, i64 rows,
                        i64 columns, i64 across, i64 is_coefficient, i64 n) {
    const i64 taps = rows * columns;
    FOR_ELEMENTS(i, n) {
        const float* corner = image + i / across * width + i % across;
        double squares = 0, mean = 0, here = 0;
        for (i64 k = 0; k < taps; k++) {
            const double t = part[k], v = corner[k / columns * width + k % columns];
            squares += (v - t) * (v - t);
            mean += t;
            here += v;
        }
        if (!is_coefficient) {
            to[i] = (float)squares;
            continue;
        }
        mean /= (double)taps;
        here /= (double)taps;
        double both = 0, of_image = 0, of_part = 0;
        for (i64 k = 0; k < taps; k++) {
            const double t = part[k] - mean, v = corner[k / columns * width + k % columns] - here;
            both += t * v;
            of_image += v * v;
            of_part += t * t;
        }
        to[i] = (float)(both / sqrt(of_image * of_part));
    }
}
