// The descriptors of the emulated cuDNN, and the convolution that they describe.
#pragma once
#include "libraries.h"

using library::Array;

#define REQUIRE(condition, code) \
    do { \
        if (!(condition)) return library::rejected("cuDNN", __func__, #condition, code); \
    } while (0)

namespace {
enum { OK = 0, NOT_INITIALIZED = 1001, BAD_PARAM = 2000, NOT_SUPPORTED = 3000, INTERNAL_ERROR = 4000, EXECUTION_FAILED = 5000 };
enum { FLOAT = 0, HALF = 2, TYPES = 22 };
enum { NCHW = 0, NHWC = 1 };
enum { CONVOLUTION = 0, CROSS_CORRELATION = 1 };
enum { DEFAULT_MATH = 0, TENSOR_OP_MATH = 1, TENSOR_OP_MATH_ALLOW_CONVERSION = 2, FMA_MATH = 3 };
enum { NON_DETERMINISTIC = 0, DETERMINISTIC = 1 };
enum { RELU = 1, IDENTITY = 5, ACTIVATIONS = 7 };
enum { NOT_PROPAGATE_NAN = 0, PROPAGATE_NAN = 1 };
enum { FWD_IMPLICIT_GEMM = 0, FWD_IMPLICIT_PRECOMP_GEMM = 1, FWD_GEMM = 2, FWD_DIRECT = 3, FWD_FFT = 4, FWD_FFT_TILING = 5,
       FWD_WINOGRAD = 6, FWD_WINOGRAD_NONFUSED = 7 };
enum { BWD_DATA_0 = 0, BWD_DATA_1 = 1, BWD_DATA_FFT = 2, BWD_DATA_FFT_TILING = 3, BWD_DATA_WINOGRAD = 4,
       BWD_DATA_WINOGRAD_NONFUSED = 5 };
constexpr int DIM_MAX = 8;
constexpr size_t HUGE_WORKSPACE = (size_t)8 << 30, WORKSPACE_ALIGNMENT = 16, ALIGNMENT = 4;

enum : uint32_t { NONE, HANDLE = 0xd2200001, TENSOR, FILTER, CONV_DESCRIPTOR, ACTIVATION };
struct Handle {
    uint32_t kind;
    void* stream;
};
// `n` is 0 until the descriptor is set.
struct Tensor {
    uint32_t kind;
    int type, n, sizes[DIM_MAX], strides[DIM_MAX];
};
struct Filter {
    uint32_t kind;
    int type, format, n, sizes[DIM_MAX];
};
struct ConvDescriptor {
    uint32_t kind;
    int n, pads[DIM_MAX], strides[DIM_MAX], dilations[DIM_MAX], mode, type, groups, math;
};
struct Activation {
    uint32_t kind;
    int mode, nan;
    double coefficient;
};
template <class T> bool is(const T* one, uint32_t kind) {
    return one && one->kind == kind;
}
template <class T> int make(T** made, uint32_t kind) {
    REQUIRE(made, BAD_PARAM);
    *made = new T{};
    (*made)->kind = kind;
    return OK;
}
template <class T> int drop(T* one, uint32_t kind) {
    if (!one) return OK;
    REQUIRE(is(one, kind), BAD_PARAM);
    one->kind = NONE;
    delete one;
    return OK;
}
bool all_at_least(int least, const int* values, int n) {
    return std::all_of(values, values + n, [least](int value) { return value >= least; });
}

// A convolution: y from x, or x from y. There are always 3 spatial axes; leading ones have size 1 if there are fewer.
struct Problem {
    bool mirrored;
    library::Rounding how;
    int math;
    int64_t groups, n, c, k;
    int64_t in[3], taps[3], out[3], pads[3], strides[3], dilations[3];
    // Axes: batch, channel, spatial axes; for the filter: output channel, channel within its group, spatial axes.
    Array x, w, y;

    int64_t in_size() const { return in[0] * in[1] * in[2]; }
    int64_t out_size() const { return out[0] * out[1] * out[2]; }
    int64_t all_taps() const { return taps[0] * taps[1] * taps[2]; }
};

Array array_of(const Tensor& t) {
    Array p = {0, t.type == HALF ? 2u : 4u, {}, {}};
    for (int i = 0; i < 5; i++) {
        const int from = i < 2 ? i : i - 5 + t.n;
        p.sizes[i] = from < 2 && i >= 2 ? 1 : t.sizes[from];
        p.strides[i] = from < 2 && i >= 2 ? 0 : t.strides[from];
    }
    return p;
}
int64_t out_of(const ConvDescriptor& conv, const Tensor& x, const Filter& w, int axis) {
    const int i = axis - 2;
    const int64_t left = x.sizes[axis] + 2ll * conv.pads[i] - ((w.sizes[axis] - 1ll) * conv.dilations[i] + 1);
    return left < 0 ? 0 : left / conv.strides[i] + 1;
}
int shape_of(const ConvDescriptor* conv, const Tensor* x, const Filter* w, int* sizes) {
    REQUIRE(is(conv, CONV_DESCRIPTOR) && conv->n, BAD_PARAM);
    REQUIRE(is(x, TENSOR) && x->n, BAD_PARAM);
    REQUIRE(is(w, FILTER) && w->n, BAD_PARAM);
    REQUIRE(x->n == w->n && conv->n == x->n - 2, BAD_PARAM);
    REQUIRE(x->sizes[1] == (int64_t)w->sizes[1] * conv->groups, BAD_PARAM);
    sizes[0] = x->sizes[0];
    sizes[1] = w->sizes[0];
    for (int i = 2; i < x->n; i++) {
        sizes[i] = out_of(*conv, *x, *w, i);
        REQUIRE(sizes[i] > 0, BAD_PARAM);
    }
    return OK;
}
int parse(const ConvDescriptor* conv, const Tensor* x, const Filter* w, const Tensor* y, Problem& p) {
    int sizes[DIM_MAX];
    if (int code = shape_of(conv, x, w, sizes)) return code;
    REQUIRE(is(y, TENSOR) && y->n == x->n, BAD_PARAM);
    REQUIRE(std::equal(sizes, sizes + x->n, y->sizes), BAD_PARAM);
    REQUIRE(w->sizes[0] % conv->groups == 0, BAD_PARAM);
    REQUIRE(x->type == w->type && x->type == y->type, BAD_PARAM);
    REQUIRE(x->n == 4 || x->n == 5, NOT_SUPPORTED);
    REQUIRE(x->type == FLOAT || x->type == HALF, NOT_SUPPORTED);
    REQUIRE(conv->type == FLOAT, NOT_SUPPORTED);
    REQUIRE(all_at_least(1, x->strides, x->n) && all_at_least(1, y->strides, y->n), NOT_SUPPORTED);
    // A channels-last filter requires channels-last tensors.
    REQUIRE(w->format == NCHW || (x->strides[1] == 1 && y->strides[1] == 1), NOT_SUPPORTED);

    p.mirrored = conv->mode == CONVOLUTION;
    p.math = conv->math;
    // float16 is exact; tensor cores round float32 to TF32, or to float16 if conversion is allowed.
    p.how = x->type == HALF || conv->math == FMA_MATH           ? library::EXACT
            : conv->math == TENSOR_OP_MATH_ALLOW_CONVERSION ? library::TO_HALF
                                                            : library::TO_TF32;
    p.groups = conv->groups;
    p.x = array_of(*x);
    p.y = array_of(*y);
    REQUIRE(p.x.is_writable() && p.y.is_writable(), NOT_SUPPORTED);
    Tensor filter = {TENSOR, w->type, w->n, {}, {}};
    std::copy(w->sizes, w->sizes + w->n, filter.sizes);
    int stride = 1;
    const auto pack = [&](int axis) {
        filter.strides[axis] = stride;
        stride *= w->sizes[axis];
    };
    if (w->format == NHWC) pack(1);
    for (int axis = w->n - 1; axis > 1; axis--) pack(axis);
    if (w->format == NCHW) pack(1);
    pack(0);
    p.w = array_of(filter);
    p.n = p.x.sizes[0], p.c = p.x.sizes[1], p.k = p.y.sizes[1];
    for (int i = 0; i < 3; i++) {
        const int from = i - 3 + conv->n;
        p.in[i] = p.x.sizes[2 + i], p.out[i] = p.y.sizes[2 + i], p.taps[i] = p.w.sizes[2 + i];
        p.pads[i] = from < 0 ? 0 : conv->pads[from];
        p.strides[i] = from < 0 ? 1 : conv->strides[from];
        p.dilations[i] = from < 0 ? 1 : conv->dilations[from];
    }
    return OK;
}

// Enumerates the pairs of offsets in x and y that each tap of the filter connects, as runs along the last axis.
template <class F> void each_run(const Problem& p, F f) {
    int64_t tap = 0, in[3];
    for (int64_t a = 0; a < p.taps[0]; a++)
        for (int64_t b = 0; b < p.taps[1]; b++)
            for (int64_t c = 0; c < p.taps[2]; c++, tap++) {
                const int64_t weight = p.mirrored ? p.all_taps() - 1 - tap : tap;
                const int64_t shift = p.pads[2] - c * p.dilations[2];
                const int64_t begin = shift > 0 ? (shift + p.strides[2] - 1) / p.strides[2] : 0;
                const int64_t end = p.in[2] - 1 + shift < 0 ? 0 : std::min(p.out[2], (p.in[2] - 1 + shift) / p.strides[2] + 1);
                if (begin >= end) continue;
                in[2] = begin * p.strides[2] - shift;
                for (int64_t i = 0; i < p.out[0]; i++)
                    for (int64_t j = 0; j < p.out[1]; j++) {
                        in[0] = i * p.strides[0] - p.pads[0] + a * p.dilations[0];
                        in[1] = j * p.strides[1] - p.pads[1] + b * p.dilations[1];
                        if (in[0] < 0 || in[0] >= p.in[0] || in[1] < 0 || in[1] >= p.in[1]) continue;
                        f(weight, (in[0] * p.in[1] + in[1]) * p.in[2] + in[2], (i * p.out[1] + j) * p.out[2] + begin, end - begin);
                    }
            }
}
// Returns the accumulators in the order of axes: those of y, or of x if `backward`.
std::vector<double> convolved(const Problem& p, bool backward) {
    const std::vector<double> from = packed(backward ? p.y : p.x, p.how), w = packed(p.w, p.how);
    const int64_t in = p.in_size(), out = p.out_size(), taps = p.all_taps(), c = p.c / p.groups, k = p.k / p.groups;
    std::vector<double> sums(backward ? p.n * p.c * in : p.n * p.k * out);
    const int64_t step = p.strides[2];
    for (int64_t n = 0; n < p.n; n++)
        for (int64_t to = 0; to < p.k; to++)
            for (int64_t of = 0; of < c; of++) {
                const double* weights = &w[(to * c + of) * taps];
                const int64_t at_x = (n * p.c + to / k * c + of) * in, at_y = (n * p.k + to) * out;
                if (backward)
                    each_run(p, [&](int64_t tap, int64_t x, int64_t y, int64_t length) {
                        double* sum = &sums[at_x + x];
                        const double* value = &from[at_y + y];
                        for (int64_t i = 0; i < length; i++) sum[i * step] += weights[tap] * value[i];
                    });
                else
                    each_run(p, [&](int64_t tap, int64_t x, int64_t y, int64_t length) {
                        double* sum = &sums[at_y + y];
                        const double* value = &from[at_x + x];
                        for (int64_t i = 0; i < length; i++) sum[i] += weights[tap] * value[i * step];
                    });
            }
    return sums;
}
}  // namespace
