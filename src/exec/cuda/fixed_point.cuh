// Fixed-point requantization; see quant::fixed_point.
typedef __int128 i128;
__device__ inline i64 clamp(i128 x, i64 low, i64 high) { return x < low ? low : x > high ? high : (i64)x; }
__device__ inline i64 saturate(i128 x) { return clamp(x, Range<i64>::low, Range<i64>::high); }
__device__ inline int saturate_int(i128 x) { return (int)clamp(x, Range<int>::low, Range<int>::high); }
__device__ inline i64 saturating_neg(i64 x) { return x == Range<i64>::low ? Range<i64>::high : -x; }

// x * 2^bits, saturated to 128 bits.
__device__ inline i128 shift_left(i128 x, i64 bits) {
    const i128 limit = ((i128)0x7fffffffffffffff << 64) | (i128)0xffffffffffffffff, factor = (i128)1 << (bits < 100 ? bits : 100);
    if (x > limit / factor) return limit;
    return x < -(limit / factor) ? -limit - 1 : x * factor;
}
// x / 2^shift, rounded exactly. A negative shift multiplies.
__device__ inline i128 shift_right(i128 x, i64 shift, int mode) {
    if (shift <= 0) return shift_left(x, saturating_neg(shift));
    if (shift > 120) shift = 120;
    const i128 below = x >> shift, remainder = x - below * ((i128)1 << shift), tie = (i128)1 << (shift - 1);
    bool up = false;
    switch (mode) {
        case AWAY_FROM_ZERO: up = remainder > tie || (remainder == tie && x > 0); break;
        case HALF_TOWARDS_ZERO: up = remainder > tie || (remainder == tie && x < 0); break;
        case HALF_UP: up = remainder >= tie; break;
        case HALF_DOWN: up = remainder > tie; break;
        case HALF_TO_EVEN: up = remainder > tie || (remainder == tie && (below & 1)); break;
        case HALF_TO_ODD: up = remainder > tie || (remainder == tie && !(below & 1)); break;
        case TOWARDS_ZERO: up = remainder > 0 && x < 0; break;
        case UP: up = remainder > 0; break;
    }
    return below + up;
}
// x * multiplier / 2^shift.
__device__ inline i64 multiplier_shift(i64 x, i64 multiplier, i64 shift, int mode) {
    return saturate(shift_right((i128)x * multiplier, shift, mode));
}
// gemmlowp's rounding: the multiplier is a 31-bit fraction, and a positive shift is to the left.
__device__ inline i64 tflite(i64 x, i64 multiplier, i64 shift, int mode) {
    const i64 up = shift > 0 ? shift : 0, down = shift < 0 ? saturating_neg(shift) : 0;
    const int wide = saturate_int((i128)x * ((i128)1 << (up < 62 ? up : 62)));
    const int high = saturate_int(shift_right((i128)wide * multiplier, 31, HALF_UP));
    return saturate(shift_right(high, down, mode));
}
__device__ inline i64 tflite_wider(i64 x, i64 multiplier, i64 lshift, i64 shift, int mode) {
    const i64 down = lshift < 0 ? saturating_add(31, saturating_neg(lshift)) : 31 - lshift;
    const int product = saturate_int(shift_right((i128)x * multiplier, down, HALF_UP));
    return saturate(shift_right(product, saturating_neg(shift), mode));
}
// x * 2^shift, rounded; `shift_wrapping` keeps only the low bits of the result, as stored in an integer of `bits` bits.
__device__ inline i64 shift_rounding(i128 x, i64 shift, int mode) { return saturate(shift_right(x, saturating_neg(shift), mode)); }
__device__ inline i64 shift_wrapping(i128 x, i64 shift, int mode, int bits, bool is_signed) {
    const i128 left = shift < 128 ? (i128)((unsigned __int128)x << shift) : 0;
    const i128 shifted = shift > 0 ? left : shift_right(x, saturating_neg(shift), mode);
    if (bits == 64) return is_signed ? (i64)shifted : (i64)((u64)shifted & (u64)Range<i64>::high);
    const i64 low = (i64)shifted & (((i64)1 << bits) - 1);
    return is_signed && (low >> (bits - 1)) ? low - ((i64)1 << bits) : low;
}
