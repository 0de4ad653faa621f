// libcudnn.so for tests: convolutions on the emulated GPU, based on NVIDIA's documentation and headers of cuDNN 9 (the
// functions of versions 7 and 8, which it still has).
//
// The speed, workspace and determinism of the algorithms are invented, to catch callers that ignore them. With
// TPULANG_EMULATED=verbose it prints `cuDNN forward algo 1` and the precision of each convolution, and the unmet condition of
// each call that it rejects.
#include <atomic>

#include "convolution.h"

namespace {
// Same layout as cudnnConvolutionFwdAlgoPerf_t and its counterparts, which differ only in the names of algorithms.
struct Perf {
    int algo, status;
    float time;
    size_t memory;
    int determinism, math, reserved[3];
};
static_assert(sizeof(Perf) == 48 && alignof(Perf) == 8, "cudnnConvolutionFwdAlgoPerf_t");

std::vector<Perf> ranked(const Problem& p, bool backward) {
    std::vector<Perf> all;
    float time = 0;
    const auto add = [&](int algo, size_t memory, int determinism) {
        // Callers that adopt the proposed math type get TF32, whether or not they requested it.
        all.push_back({algo, OK, time += 0.125f, memory, determinism, p.math == FMA_MATH ? DEFAULT_MATH : p.math, {}});
    };
    const auto add_unsupported = [&](int algo) { all.push_back({algo, NOT_SUPPORTED, -1, 0, DETERMINISTIC, p.math, {}}); };
    // Deliberately not a round number.
    const size_t some = 4096 + 4 * (backward ? p.c : p.k);
    if (backward) {
        add(BWD_DATA_FFT, HUGE_WORKSPACE, DETERMINISTIC);
        add(BWD_DATA_0, 0, NON_DETERMINISTIC);
        add_unsupported(BWD_DATA_WINOGRAD);
        add(BWD_DATA_1, some, DETERMINISTIC);
        add_unsupported(BWD_DATA_FFT_TILING);
        add_unsupported(BWD_DATA_WINOGRAD_NONFUSED);
    } else {
        add(FWD_FFT, HUGE_WORKSPACE, DETERMINISTIC);
        add(FWD_FFT_TILING, some, NON_DETERMINISTIC);
        add_unsupported(FWD_WINOGRAD);
        add(FWD_IMPLICIT_PRECOMP_GEMM, some, DETERMINISTIC);
        add(FWD_IMPLICIT_GEMM, 0, DETERMINISTIC);
        add(FWD_GEMM, 2 * some, DETERMINISTIC);
        add_unsupported(FWD_WINOGRAD_NONFUSED);
        add_unsupported(FWD_DIRECT);
    }
    return all;
}
int propose(const Problem& p, bool backward, int requested, int* returned, Perf* results) {
    REQUIRE(requested > 0 && returned && results, BAD_PARAM);
    const char* mode = getenv("TPULANG_EMULATED");
    const bool declines = mode && !strcmp(mode, "declining");
    const std::vector<Perf> all = declines ? std::vector<Perf>() : ranked(p, backward);
    *returned = std::min<int>(requested, all.size());
    std::copy(all.begin(), all.begin() + *returned, results);
    return OK;
}
int find(const Problem& p, bool backward, int algo, Perf& found) {
    for (const Perf& one : ranked(p, backward))
        if (one.algo == algo) {
            found = one;
            return one.status;
        }
    return BAD_PARAM;
}

// The epilogue of a convolution: y = f(alpha * sums + beta * z + bias).
struct Epilogue {
    float alpha, beta;
    // Not read if beta is 0.
    Array z;
    // One value per channel; null if there is none.
    Array bias;
    bool relu;
};
int run(const Handle* handle, const Problem& p, bool backward, int algo, const void* workspace, size_t bytes,
        const Epilogue& epilogue, const char* how) {
    const Array& to = backward ? p.x : p.y;
    const Array& from = backward ? p.y : p.x;
    Perf chosen;
    if (int code = find(p, backward, algo, chosen)) return library::rejected("cuDNN", how, "an algorithm that is supported", code);
    REQUIRE(from.is_valid(ALIGNMENT), BAD_PARAM);
    REQUIRE(p.w.is_valid(ALIGNMENT), BAD_PARAM);
    REQUIRE(to.is_valid(ALIGNMENT), BAD_PARAM);
    REQUIRE(to.is_disjoint(from) && to.is_disjoint(p.w), BAD_PARAM);
    REQUIRE(!epilogue.bias.at || to.is_disjoint(epilogue.bias), BAD_PARAM);
    REQUIRE(epilogue.z.is_identical(to) || to.is_disjoint(epilogue.z), BAD_PARAM);
    REQUIRE(bytes >= chosen.memory, BAD_PARAM);
    if (bytes) {
        const Array given = library::bytes_at(workspace, bytes);
        REQUIRE(given.is_valid(WORKSPACE_ALIGNMENT), BAD_PARAM);
        for (const Array* array : {&p.x, &p.w, &p.y, &epilogue.z, &epilogue.bias})
            REQUIRE(!array->at || given.is_disjoint(*array), BAD_PARAM);
    }
    if (library::is_verbose())
        fprintf(stderr, "cuDNN %s algo %d %s%s\n", how, algo, from.bytes == 2 ? "f16" : "f32",
                p.how == library::TO_TF32   ? " tf32"
                : p.how == library::TO_HALF ? " half"
                                            : "");
    const int code = library::submit(handle->stream, [=]() -> int {
        const Array& to = backward ? p.x : p.y;
        for (const Array* array : {&p.x, &p.w, &p.y, &epilogue.z, &epilogue.bias})
            if (array->at && !array->is_valid(1)) return library::ILLEGAL_ADDRESS;
        if (chosen.memory && !emulated_is_allocated((uint64_t)workspace, chosen.memory)) return library::ILLEGAL_ADDRESS;
        // Overwrite only a part of 8 GiB.
        library::clobber(workspace, std::min<size_t>(chosen.memory, 1 << 20));
        double alpha = epilogue.alpha;
        // The error exceeds that of another summation order, and changes with each call.
        static std::atomic<unsigned> times{0};
        if (chosen.determinism == NON_DETERMINISTIC) alpha *= 1 + (++times % 97) / 64.0;
        const std::vector<double> sums = convolved(p, backward);
        const std::vector<double> z = epilogue.beta != 0 ? packed(epilogue.z, library::EXACT) : std::vector<double>();
        const int64_t channels = to.sizes[1], plane = to.sizes[2] * to.sizes[3] * to.sizes[4];
        int64_t i = 0;
        to.each([&](int64_t at) {
            double y = alpha * sums[i];
            if (epilogue.beta != 0) y += epilogue.beta * z[i];
            if (epilogue.bias.at) y += load(epilogue.bias, i / plane % channels * epilogue.bias.strides[1]);
            // Maps NaN to 0, as with NOT_PROPAGATE_NAN.
            store(to, at, epilogue.relu && !(y > 0) ? 0 : (float)y);
            i++;
        });
        return 0;
    });
    REQUIRE(code == 0, EXECUTION_FAILED);
    return OK;
}
}  // namespace

extern "C" {
size_t cudnnGetVersion() { return 92100; }
size_t cudnnGetCudartVersion() { return 13000; }
const char* cudnnGetErrorString(int code) {
    switch (code) {
        case OK: return "CUDNN_STATUS_SUCCESS";
        case NOT_INITIALIZED: return "CUDNN_STATUS_NOT_INITIALIZED";
        case BAD_PARAM: return "CUDNN_STATUS_BAD_PARAM";
        case NOT_SUPPORTED: return "CUDNN_STATUS_NOT_SUPPORTED";
        case INTERNAL_ERROR: return "CUDNN_STATUS_INTERNAL_ERROR";
        case EXECUTION_FAILED: return "CUDNN_STATUS_EXECUTION_FAILED";
    }
    return "CUDNN_UNKNOWN_STATUS";
}
int cudnnCreate(Handle** handle) {
    // Creating a handle allocates memory.
    REQUIRE(!emulated_is_capturing(), NOT_INITIALIZED);
    return make(handle, HANDLE);
}
int cudnnDestroy(Handle* handle) {
    REQUIRE(!emulated_is_capturing(), INTERNAL_ERROR);
    return drop(handle, HANDLE);
}
int cudnnSetStream(Handle* handle, void* stream) {
    REQUIRE(is(handle, HANDLE), BAD_PARAM);
    handle->stream = stream;
    return OK;
}
int cudnnGetStream(Handle* handle, void** stream) {
    REQUIRE(is(handle, HANDLE) && stream, BAD_PARAM);
    *stream = handle->stream;
    return OK;
}

int cudnnCreateTensorDescriptor(Tensor** made) { return make(made, TENSOR); }
int cudnnDestroyTensorDescriptor(Tensor* one) { return drop(one, TENSOR); }
int cudnnSetTensorNdDescriptor(Tensor* t, int type, int n, const int* sizes, const int* strides) {
    REQUIRE(is(t, TENSOR) && sizes && strides, BAD_PARAM);
    REQUIRE(type >= 0 && type < TYPES, BAD_PARAM);
    // The real library also accepts 3, but then supports no algorithm.
    REQUIRE(n >= 4 && n <= DIM_MAX, NOT_SUPPORTED);
    REQUIRE(all_at_least(1, sizes, n), BAD_PARAM);
    REQUIRE(std::all_of(strides, strides + n, [](int stride) { return stride != 0; }), BAD_PARAM);
    int64_t all = 1;
    for (int i = 0; i < n; i++) {
        all *= sizes[i];
        REQUIRE(all <= INT32_MAX, NOT_SUPPORTED);
    }
    t->type = type;
    t->n = n;
    std::copy(sizes, sizes + n, t->sizes);
    std::copy(strides, strides + n, t->strides);
    return OK;
}
int cudnnSetTensorNdDescriptorEx(Tensor* t, int format, int type, int n, const int* sizes) {
    REQUIRE(sizes && n >= 4 && n <= DIM_MAX, BAD_PARAM);
    REQUIRE(format == NCHW || format == NHWC, BAD_PARAM);
    int strides[DIM_MAX] = {};
    int64_t stride = 1;
    const auto pack = [&](int axis) {
        strides[axis] = std::min<int64_t>(stride, INT32_MAX);
        stride *= std::max(sizes[axis], 1);
    };
    if (format == NHWC) pack(1);
    for (int axis = n - 1; axis > 1; axis--) pack(axis);
    if (format == NCHW) pack(1);
    pack(0);
    return cudnnSetTensorNdDescriptor(t, type, n, sizes, strides);
}
int cudnnSetTensor4dDescriptor(Tensor* t, int format, int type, int n, int c, int h, int w) {
    const int sizes[] = {n, c, h, w};
    return cudnnSetTensorNdDescriptorEx(t, format, type, 4, sizes);
}
int cudnnSetTensor4dDescriptorEx(Tensor* t, int type, int n, int c, int h, int w, int a, int b, int d, int e) {
    const int sizes[] = {n, c, h, w}, strides[] = {a, b, d, e};
    return cudnnSetTensorNdDescriptor(t, type, 4, sizes, strides);
}

int cudnnCreateFilterDescriptor(Filter** made) { return make(made, FILTER); }
int cudnnDestroyFilterDescriptor(Filter* one) { return drop(one, FILTER); }
int cudnnSetFilterNdDescriptor(Filter* f, int type, int format, int n, const int* sizes) {
    REQUIRE(is(f, FILTER) && sizes, BAD_PARAM);
    REQUIRE(type >= 0 && type < TYPES, BAD_PARAM);
    REQUIRE(format == NCHW || format == NHWC, BAD_PARAM);
    REQUIRE(n >= 3, BAD_PARAM);
    REQUIRE(n <= DIM_MAX, NOT_SUPPORTED);
    REQUIRE(all_at_least(1, sizes, n), BAD_PARAM);
    *f = {FILTER, type, format, n, {}};
    std::copy(sizes, sizes + n, f->sizes);
    return OK;
}
int cudnnSetFilter4dDescriptor(Filter* f, int type, int format, int k, int c, int h, int w) {
    const int sizes[] = {k, c, h, w};
    return cudnnSetFilterNdDescriptor(f, type, format, 4, sizes);
}

int cudnnCreateConvolutionDescriptor(ConvDescriptor** made) {
    if (int code = make(made, CONV_DESCRIPTOR)) return code;
    (*made)->groups = 1;
    return OK;
}
int cudnnDestroyConvolutionDescriptor(ConvDescriptor* one) { return drop(one, CONV_DESCRIPTOR); }
// Groups and math type are unchanged.
int cudnnSetConvolutionNdDescriptor(ConvDescriptor* conv, int n, const int* pads, const int* strides, const int* dilations,
                                    int mode, int type) {
    REQUIRE(is(conv, CONV_DESCRIPTOR) && pads && strides && dilations, BAD_PARAM);
    REQUIRE(n > 0, BAD_PARAM);
    REQUIRE(n <= DIM_MAX - 2, NOT_SUPPORTED);
    REQUIRE(all_at_least(0, pads, n) && all_at_least(1, strides, n) && all_at_least(1, dilations, n), BAD_PARAM);
    REQUIRE(mode == CONVOLUTION || mode == CROSS_CORRELATION, BAD_PARAM);
    // float64 and int32 are valid too, but not supported here.
    REQUIRE(type == FLOAT || type == HALF || type == 1 || type == 4, BAD_PARAM);
    conv->n = n;
    std::copy(pads, pads + n, conv->pads);
    std::copy(strides, strides + n, conv->strides);
    std::copy(dilations, dilations + n, conv->dilations);
    conv->mode = mode;
    conv->type = type;
    return OK;
}
int cudnnSetConvolution2dDescriptor(ConvDescriptor* conv, int pad_h, int pad_w, int u, int v, int dilation_h, int dilation_w,
                                    int mode, int type) {
    const int pads[] = {pad_h, pad_w}, strides[] = {u, v}, dilations[] = {dilation_h, dilation_w};
    return cudnnSetConvolutionNdDescriptor(conv, 2, pads, strides, dilations, mode, type);
}
int cudnnSetConvolutionGroupCount(ConvDescriptor* conv, int groups) {
    REQUIRE(is(conv, CONV_DESCRIPTOR) && groups > 0, BAD_PARAM);
    conv->groups = groups;
    return OK;
}
int cudnnSetConvolutionMathType(ConvDescriptor* conv, int math) {
    REQUIRE(is(conv, CONV_DESCRIPTOR) && math >= DEFAULT_MATH && math <= FMA_MATH, BAD_PARAM);
    conv->math = math;
    return OK;
}
int cudnnGetConvolutionNdForwardOutputDim(ConvDescriptor* conv, Tensor* x, Filter* w, int n, int* sizes) {
    REQUIRE(sizes && is(x, TENSOR) && n == x->n, BAD_PARAM);
    return shape_of(conv, x, w, sizes);
}

int cudnnCreateActivationDescriptor(Activation** made) {
    if (int code = make(made, ACTIVATION)) return code;
    (*made)->mode = -1;
    return OK;
}
int cudnnDestroyActivationDescriptor(Activation* one) { return drop(one, ACTIVATION); }
int cudnnSetActivationDescriptor(Activation* one, int mode, int nan, double coefficient) {
    REQUIRE(is(one, ACTIVATION) && mode >= 0 && mode < ACTIVATIONS, BAD_PARAM);
    REQUIRE(nan == NOT_PROPAGATE_NAN || nan == PROPAGATE_NAN, BAD_PARAM);
    *one = {ACTIVATION, mode, nan, coefficient};
    return OK;
}

int cudnnGetConvolutionForwardAlgorithmMaxCount(Handle* handle, int* count) {
    REQUIRE(is(handle, HANDLE) && count, BAD_PARAM);
    *count = 8;
    return OK;
}
int cudnnGetConvolutionForwardAlgorithm_v7(Handle* handle, Tensor* x, Filter* w, ConvDescriptor* conv, Tensor* y, int requested,
                                           int* returned, Perf* results) {
    REQUIRE(is(handle, HANDLE), BAD_PARAM);
    Problem p;
    if (int code = parse(conv, x, w, y, p)) return code;
    return propose(p, false, requested, returned, results);
}
int cudnnGetConvolutionForwardWorkspaceSize(Handle* handle, Tensor* x, Filter* w, ConvDescriptor* conv, Tensor* y, int algo,
                                            size_t* bytes) {
    REQUIRE(is(handle, HANDLE) && bytes, BAD_PARAM);
    Problem p;
    Perf found;
    if (int code = parse(conv, x, w, y, p)) return code;
    if (int code = find(p, false, algo, found)) return code;
    *bytes = found.memory;
    return OK;
}
int cudnnConvolutionForward(Handle* handle, const void* alpha, Tensor* of_x, const void* x, Filter* of_w, const void* w,
                            ConvDescriptor* conv, int algo, void* workspace, size_t bytes, const void* beta, Tensor* of_y,
                            void* y) {
    REQUIRE(is(handle, HANDLE) && alpha && beta, BAD_PARAM);
    Problem p;
    if (int code = parse(conv, of_x, of_w, of_y, p)) return code;
    p.x = p.x.on(x), p.w = p.w.on(w), p.y = p.y.on(y);
    const Epilogue epilogue = {*(const float*)alpha, *(const float*)beta, p.y, p.y.on(nullptr), false};
    return run(handle, p, false, algo, workspace, bytes, epilogue, "forward");
}
int cudnnConvolutionBiasActivationForward(Handle* handle, const void* alpha1, Tensor* of_x, const void* x, Filter* of_w,
                                          const void* w, ConvDescriptor* conv, int algo, void* workspace, size_t bytes,
                                          const void* alpha2, Tensor* of_z, const void* z, Tensor* of_bias, const void* bias,
                                          Activation* activation, Tensor* of_y, void* y) {
    REQUIRE(is(handle, HANDLE) && alpha1 && alpha2, BAD_PARAM);
    REQUIRE(is(of_z, TENSOR) && is(of_bias, TENSOR) && is(activation, ACTIVATION), BAD_PARAM);
    Problem p;
    if (int code = parse(conv, of_x, of_w, of_y, p)) return code;
    REQUIRE(activation->mode == RELU || activation->mode == IDENTITY, NOT_SUPPORTED);
    REQUIRE(activation->nan == NOT_PROPAGATE_NAN, NOT_SUPPORTED);
    REQUIRE(activation->mode == RELU || algo == FWD_IMPLICIT_PRECOMP_GEMM, NOT_SUPPORTED);
    REQUIRE(of_bias->n == of_y->n && of_bias->type == of_y->type, NOT_SUPPORTED);
    REQUIRE(of_bias->sizes[0] == 1 && of_bias->sizes[1] == of_w->sizes[0] && of_bias->strides[1] == 1, NOT_SUPPORTED);
    REQUIRE(std::all_of(of_bias->sizes + 2, of_bias->sizes + of_bias->n, [](int size) { return size == 1; }), NOT_SUPPORTED);
    REQUIRE(of_z->n == of_y->n && of_z->type == of_y->type, NOT_SUPPORTED);
    REQUIRE(array_of(*of_z).is_identical(p.y), NOT_SUPPORTED);
    p.x = p.x.on(x), p.w = p.w.on(w), p.y = p.y.on(y);
    const bool relu = activation->mode == RELU;
    const Epilogue epilogue = {*(const float*)alpha1, *(const float*)alpha2, p.y.on(z), array_of(*of_bias).on(bias), relu};
    REQUIRE(epilogue.z.is_valid(ALIGNMENT), BAD_PARAM);
    REQUIRE(epilogue.bias.is_valid(ALIGNMENT), BAD_PARAM);
    return run(handle, p, false, algo, workspace, bytes, epilogue, relu ? "forward bias relu" : "forward bias");
}

int cudnnGetConvolutionBackwardDataAlgorithmMaxCount(Handle* handle, int* count) {
    REQUIRE(is(handle, HANDLE) && count, BAD_PARAM);
    *count = 6;
    return OK;
}
int cudnnGetConvolutionBackwardDataAlgorithm_v7(Handle* handle, Filter* w, Tensor* dy, ConvDescriptor* conv, Tensor* dx,
                                                int requested, int* returned, Perf* results) {
    REQUIRE(is(handle, HANDLE), BAD_PARAM);
    Problem p;
    if (int code = parse(conv, dx, w, dy, p)) return code;
    return propose(p, true, requested, returned, results);
}
int cudnnGetConvolutionBackwardDataWorkspaceSize(Handle* handle, Filter* w, Tensor* dy, ConvDescriptor* conv, Tensor* dx,
                                                 int algo, size_t* bytes) {
    REQUIRE(is(handle, HANDLE) && bytes, BAD_PARAM);
    Problem p;
    Perf found;
    if (int code = parse(conv, dx, w, dy, p)) return code;
    if (int code = find(p, true, algo, found)) return code;
    *bytes = found.memory;
    return OK;
}
int cudnnConvolutionBackwardData(Handle* handle, const void* alpha, Filter* of_w, const void* w, Tensor* of_dy, const void* dy,
                                 ConvDescriptor* conv, int algo, void* workspace, size_t bytes, const void* beta, Tensor* of_dx,
                                 void* dx) {
    REQUIRE(is(handle, HANDLE) && alpha && beta, BAD_PARAM);
    Problem p;
    if (int code = parse(conv, of_dx, of_w, of_dy, p)) return code;
    p.x = p.x.on(dx), p.w = p.w.on(w), p.y = p.y.on(dy);
    const Epilogue epilogue = {*(const float*)alpha, *(const float*)beta, p.x, p.x.on(nullptr), false};
    return run(handle, p, true, algo, workspace, bytes, epilogue, "backward data");
}
}
