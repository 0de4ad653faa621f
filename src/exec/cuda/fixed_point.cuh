// Requantization in fixed point: docs of quant::fixed_point.
typedef __int128 i128;
__device__ inline i64 held(i128 x) { return x < Range<i64>::low ? Range<i64>::low : x > Range<i64>::high ? Range<i64>::high : (i64)x; }
__device__ inline int held_int(i128 x) { return x < Range<int>::low ? (int)Range<int>::low : x > Range<int>::high ? (int)Range<int>::high : (int)x; }
__device__ inline i64 held_within(i128 x, i64 low, i64 high) { return x < low ? low : x > high ? high : (i64)x; }
__device__ inline i64 negated(i64 x) { return x == Range<i64>::low ? Range<i64>::high : -x; }

// x * 2^bits, held in 128 bits.
__device__ inline i128 left(i128 x, i64 bits) {
    const i128 most = ((i128)0x7fffffffffffffff << 64) | (i128)0xffffffffffffffff, factor = (i128)1 << (bits < 100 ? bits : 100);
    if (x > most / factor) return most;
    return x < -(most / factor) ? -most - 1 : x * factor;
}
// x / 2^shift, rounded exactly; a negative shift multiplies.
__device__ inline i128 shifted_right(i128 x, i64 shift, int mode) {
    if (shift <= 0) return left(x, negated(shift));
    if (shift > 120) shift = 120;
    const i128 below = x >> shift, rest = x - below * ((i128)1 << shift), half = (i128)1 << (shift - 1);
    bool up = false;
    switch (mode) {
        case AWAY_FROM_ZERO: up = rest > half || (rest == half && x > 0); break;
        case HALF_TOWARDS_ZERO: up = rest > half || (rest == half && x < 0); break;
        case HALF_UP: up = rest >= half; break;
        case HALF_DOWN: up = rest > half; break;
        case HALF_TO_EVEN: up = rest > half || (rest == half && (below & 1)); break;
        case HALF_TO_ODD: up = rest > half || (rest == half && !(below & 1)); break;
        case TOWARDS_ZERO: up = rest > 0 && x < 0; break;
        case UP: up = rest > 0; break;
    }
    return below + up;
}
// x * multiplier / 2^shift.
__device__ inline i64 multiplier_shift(i64 x, i64 multiplier, i64 shift, int mode) {
    return held(shifted_right((i128)x * multiplier, shift, mode));
}
// gemmlowp's: the multiplier is a fraction of 31 bits, the shift is positive to the left.
__device__ inline i64 tflite(i64 x, i64 multiplier, i64 shift, int mode) {
    const i64 up = shift > 0 ? shift : 0, down = shift < 0 ? negated(shift) : 0;
    const int wide = held_int((i128)x * ((i128)1 << (up < 62 ? up : 62)));
    const int high = held_int(shifted_right((i128)wide * multiplier, 31, HALF_UP));
    return held(shifted_right(high, down, mode));
}
__device__ inline i64 tflite_wider(i64 x, i64 multiplier, i64 lshift, i64 shift, int mode) {
    const i64 down = lshift < 0 ? plus(31, negated(lshift)) : 31 - lshift;
    const int product = held_int(shifted_right((i128)x * multiplier, down, HALF_UP));
    return held(shifted_right(product, negated(shift), mode));
}
// x * 2^shift, rounded; or of the product the low bits, as so many bits hold them.
__device__ inline i64 shifted(i128 x, i64 shift, int mode) { return held(shifted_right(x, negated(shift), mode)); }
__device__ inline i64 shifted_wrapping(i128 x, i64 shift, int mode, int bits, bool has_sign) {
    const i128 all = shift > 0 ? (shift < 128 ? (i128)((unsigned __int128)x << shift) : 0) : shifted_right(x, negated(shift), mode);
    if (bits == 64) return has_sign ? (i64)all : (i64)((u64)all & (u64)Range<i64>::high);
    const i64 low = (i64)all & (((i64)1 << bits) - 1);
    return has_sign && (low >> (bits - 1)) ? low - ((i64)1 << bits) : low;
}
