// The prelude of every kernel. NVRTC compiles it without any headers; the emulator's C++ compiler compiles the same text.
typedef long long i64;
typedef unsigned long long u64;
typedef signed char i8;
typedef unsigned char u8;
typedef unsigned short u16;
#ifndef TPULANG_EMULATED
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)
#endif

// A float16 in memory. All arithmetic is in float32 or wider.
struct half {
    u16 bits;
    half() = default;
#ifdef TPULANG_EMULATED
    half(float x) {
        const _Float16 rounded = (_Float16)x;
        memcpy(&bits, &rounded, sizeof bits);
    }
    operator float() const {
        _Float16 x;
        memcpy(&x, &bits, sizeof bits);
        return (float)x;
    }
#else
    __device__ half(float x) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x)); }
    __device__ operator float() const {
        float x;
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
        return x;
    }
#endif
};

// Grid-stride loop over n elements.
#define FOR_ELEMENTS(i, n) \
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (i64)gridDim.x * blockDim.x)

// The same with indices of type I, which must be able to hold n plus the number of threads of the grid.
#define FOR_INDICES(I, i, n) for (I i = (I)blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += (I)gridDim.x * blockDim.x)

// A loop with a constant trip count, unrolled so that the arrays that it indexes stay in registers.
#define UNROLLED(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)

// The range of an element type. That of u64 ends where that of i64 does.
template <class T> struct Range;
template <> struct Range<i8> { static constexpr i64 low = -128, high = 127; };
template <> struct Range<u8> { static constexpr i64 low = 0, high = 255; };
enum Boolean : u8 {};
template <> struct Range<Boolean> { static constexpr i64 low = 0, high = 1; };
template <> struct Range<short> { static constexpr i64 low = -32768, high = 32767; };
template <> struct Range<u16> { static constexpr i64 low = 0, high = 65535; };
template <> struct Range<int> { static constexpr i64 low = -2147483647 - 1, high = 2147483647; };
template <> struct Range<unsigned> { static constexpr i64 low = 0, high = 4294967295; };
template <> struct Range<i64> { static constexpr i64 low = -9223372036854775807 - 1, high = 9223372036854775807; };
template <> struct Range<u64> { static constexpr i64 low = 0, high = 9223372036854775807; };

// Converts a stored element to an integer: truncates fractions, saturates, and maps NaN to 0.
__device__ inline i64 to_int(double x) {
    if (!(x == x)) return 0;
    if (x >= 9223372036854775808.0) return Range<i64>::high;
    if (x <= -9223372036854775808.0) return Range<i64>::low;
    return (i64)x;
}
__device__ inline i64 to_int(float x) { return to_int((double)x); }
__device__ inline i64 to_int(half x) { return to_int((float)x); }
__device__ inline i64 to_int(u64 x) { return x > (u64)Range<i64>::high ? Range<i64>::high : (i64)x; }
template <class T> __device__ inline i64 to_int(T x) { return x; }

// Converts a number to a stored element: saturates, and maps NaN to 0.
template <class T> struct Stored {
    static __device__ T of(double x) {
        if (!(x == x)) return (T)0;
        if (x <= (double)Range<T>::low) return (T)Range<T>::low;
        if (x >= (double)Range<T>::high) return (T)Range<T>::high;
        return (T)x;
    }
    static __device__ T of_int(i64 x) {
        return (T)(x < Range<T>::low ? Range<T>::low : x > Range<T>::high ? Range<T>::high : x);
    }
};
template <> struct Stored<float> {
    static __device__ float of(double x) { return (float)x; }
    static __device__ float of_int(i64 x) { return (float)x; }
};
template <> struct Stored<half> : Stored<float> {};

// Saturating 64-bit arithmetic.
__device__ inline i64 saturating_add(i64 x, i64 y) {
    const u64 sum = (u64)x + (u64)y;
    if (((u64)x ^ sum) & ((u64)y ^ sum) & 0x8000000000000000ull) return x < 0 ? Range<i64>::low : Range<i64>::high;
    return (i64)sum;
}
__device__ inline i64 saturating_sub(i64 x, i64 y) {
    const u64 difference = (u64)x - (u64)y;
    if (((u64)x ^ (u64)y) & ((u64)x ^ difference) & 0x8000000000000000ull) return x < 0 ? Range<i64>::low : Range<i64>::high;
    return (i64)difference;
}
__device__ inline i64 saturating_mul(i64 x, i64 y) {
    if (x == 0 || y == 0) return 0;
    const u64 a = x < 0 ? 0 - (u64)x : (u64)x, b = y < 0 ? 0 - (u64)y : (u64)y;
    const bool negative = (x < 0) != (y < 0);
    const u64 limit = negative ? (u64)1 << 63 : (u64)Range<i64>::high;
    if (a > limit / b) return negative ? Range<i64>::low : Range<i64>::high;
    return negative ? (i64)(0 - a * b) : (i64)(a * b);
}

// Rounding modes, numbered as in quant::RoundMode.
enum { AWAY_FROM_ZERO, HALF_UP, HALF_DOWN, HALF_TO_EVEN, HALF_TO_ODD, HALF_TOWARDS_ZERO, TOWARDS_ZERO, UP, DOWN };
__device__ inline double rounded(double x, int mode) {
    const double below = floor(x), fraction = x - below;
    bool up = false;
    switch (mode) {
        case TOWARDS_ZERO: return trunc(x);
        case UP: return ceil(x);
        case DOWN: return below;
        case HALF_TO_EVEN: return rint(x);
        case AWAY_FROM_ZERO: up = x > 0; break;
        case HALF_TOWARDS_ZERO: up = x < 0; break;
        case HALF_UP: up = true; break;
        case HALF_TO_ODD: up = below * 0.5 == floor(below * 0.5); break;
    }
    return fraction > 0.5 || (fraction == 0.5 && up) ? below + 1 : below;
}

// max(x, 0), and min(x, limit) unless the limit is negative. Propagates NaN.
template <class R> __device__ inline R relu(R x, R limit) {
    if (x < 0) return 0;
    return limit >= 0 && x > limit ? limit : x;
}

// Four elements that are loaded or stored by one instruction.
template <class T> struct alignas(4 * sizeof(T)) Vec4 {
    T v[4];
};
