// libcublasLt.so for tests: products of matrices on the emulated GPU, based on NVIDIA's documentation and headers of CUDA
// 13.0.
//
// With TPULANG_EMULATED=verbose it prints `cublasLt m n k batch` and the precision and epilogue of each product, and the unmet
// condition of each call that it rejects.
#include <math.h>
#include <stddef.h>

#include "libraries.h"

using library::Array;

#define REQUIRE(condition, code) \
    do { \
        if (!(condition)) return library::rejected("cublasLt", __func__, #condition, code); \
    } while (0)

namespace {
enum { OK = 0, NOT_INITIALIZED = 1, ALLOC_FAILED = 3, INVALID_VALUE = 7, ARCH_MISMATCH = 8, MAPPING_ERROR = 11,
       EXECUTION_FAILED = 13, INTERNAL_ERROR = 14, NOT_SUPPORTED = 15, LICENSE_ERROR = 16 };
enum { R_32F = 0, R_16F = 2 };
enum { COMPUTE_32F = 68, COMPUTE_32F_PEDANTIC = 69, COMPUTE_32F_FAST_TF32 = 77 };
enum { OP_N = 0, OP_T = 1, OP_C = 2 };
enum { ORDER_COL = 0, ORDER_ROW = 1, ORDERS = 5 };
enum { DEFAULT = 1, RELU = 2, BIAS = 4, GELU = 32 };
enum { FILL_MODE_FULL = 2, POINTER_MODE_HOST = 0, POINTER_MODE_DEVICE = 1, POINTER_MODES = 5, REDUCTION_SCHEMES = 7 };
// Bits of the mask of allowed implementations: instructions, accumulator type, operand type.
constexpr uint64_t BY_FMA = 0x1 | 0x2 << 8 | 0x8 << 16, BY_TF32 = 0x2 | 0x2 << 8 | 0x4 << 16, BY_HALF = 0x2 | 0x2 << 8 | 0x1 << 16;
constexpr size_t WORKSPACE = 4096, WORKSPACE_ALIGNMENT = 256;

struct Handle {
    uint32_t kind;
};
// An attribute of a descriptor. Only the documented size is accepted.
struct Attribute {
    int number;
    size_t bytes;
    int64_t value;
};
struct Descriptor {
    uint32_t kind;
    std::vector<Attribute> all;

    Attribute* find(int number) {
        for (auto& one : all)
            if (one.number == number) return &one;
        return nullptr;
    }
    int64_t operator[](int number) const { return ((Descriptor*)this)->find(number)->value; }
};
enum : uint32_t { NONE, HANDLE = 0x1b1a5001, MATMUL, LAYOUT, PREFERENCE };

enum { TYPE = 0, ORDER = 1, ROWS = 2, COLS = 3, LD = 4, BATCH_COUNT = 5, STRIDED_BATCH_OFFSET = 6, PLANE_OFFSET = 7,
       BATCH_MODE = 8 };
const std::vector<Attribute> OF_LAYOUT = {{TYPE, 4, 0},        {ORDER, 4, ORDER_COL},          {ROWS, 8, 0},
                                          {COLS, 8, 0},        {LD, 8, 0},                     {BATCH_COUNT, 4, 1},
                                          {BATCH_MODE, 4, 0},  {STRIDED_BATCH_OFFSET, 8, 0},   {PLANE_OFFSET, 8, 0}};
enum { COMPUTE_TYPE = 0, SCALE_TYPE = 1, POINTER_MODE = 2, TRANSA = 3, TRANSB = 4, TRANSC = 5, FILL_MODE = 6, EPILOGUE = 7,
       BIAS_POINTER = 8, BIAS_BATCH_STRIDE = 10, EPILOGUE_AUX_POINTER = 11, EPILOGUE_AUX_LD = 12, EPILOGUE_AUX_BATCH_STRIDE = 13,
       ALPHA_VECTOR_BATCH_STRIDE = 14, SM_COUNT_TARGET = 15, A_SCALE_POINTER = 17, B_SCALE_POINTER = 18, C_SCALE_POINTER = 19,
       D_SCALE_POINTER = 20, AMAX_D_POINTER = 21, EPILOGUE_AUX_DATA_TYPE = 22, EPILOGUE_AUX_SCALE_POINTER = 23,
       EPILOGUE_AUX_AMAX_POINTER = 24, FAST_ACCUM = 25, BIAS_DATA_TYPE = 26, A_SCALE_MODE = 31, B_SCALE_MODE = 32,
       C_SCALE_MODE = 33, D_SCALE_MODE = 34, EPILOGUE_AUX_SCALE_MODE = 35, D_OUT_SCALE_POINTER = 36, D_OUT_SCALE_MODE = 37,
       EMULATION_DESCRIPTOR = 38 };
const std::vector<Attribute> OF_MATMUL = {{COMPUTE_TYPE, 4, 0},
                                          {SCALE_TYPE, 4, 0},
                                          {POINTER_MODE, 4, POINTER_MODE_HOST},
                                          {TRANSA, 4, OP_N},
                                          {TRANSB, 4, OP_N},
                                          {TRANSC, 4, OP_N},
                                          {FILL_MODE, 4, FILL_MODE_FULL},
                                          {EPILOGUE, 4, DEFAULT},
                                          {BIAS_POINTER, 8, 0},
                                          {BIAS_BATCH_STRIDE, 8, 0},
                                          {EPILOGUE_AUX_POINTER, 8, 0},
                                          {EPILOGUE_AUX_LD, 8, 0},
                                          {EPILOGUE_AUX_BATCH_STRIDE, 8, 0},
                                          {ALPHA_VECTOR_BATCH_STRIDE, 8, 0},
                                          {SM_COUNT_TARGET, 4, 0},
                                          {A_SCALE_POINTER, 8, 0},
                                          {B_SCALE_POINTER, 8, 0},
                                          {C_SCALE_POINTER, 8, 0},
                                          {D_SCALE_POINTER, 8, 0},
                                          {AMAX_D_POINTER, 8, 0},
                                          {EPILOGUE_AUX_DATA_TYPE, 4, -1},
                                          {EPILOGUE_AUX_SCALE_POINTER, 8, 0},
                                          {EPILOGUE_AUX_AMAX_POINTER, 8, 0},
                                          {FAST_ACCUM, 1, 0},
                                          {BIAS_DATA_TYPE, 4, -1},
                                          {A_SCALE_MODE, 4, 0},
                                          {B_SCALE_MODE, 4, 0},
                                          {C_SCALE_MODE, 4, 0},
                                          {D_SCALE_MODE, 4, 0},
                                          {EPILOGUE_AUX_SCALE_MODE, 4, 0},
                                          {D_OUT_SCALE_POINTER, 8, 0},
                                          {D_OUT_SCALE_MODE, 4, 0},
                                          {EMULATION_DESCRIPTOR, 8, 0}};
// Attributes that apply only to narrower floats.
const int OF_NARROW_FLOATS[] = {A_SCALE_POINTER, B_SCALE_POINTER,     C_SCALE_POINTER,  D_SCALE_POINTER, AMAX_D_POINTER,
                                A_SCALE_MODE,    B_SCALE_MODE,        C_SCALE_MODE,     D_SCALE_MODE,    EPILOGUE_AUX_SCALE_POINTER,
                                FAST_ACCUM,      D_OUT_SCALE_POINTER, D_OUT_SCALE_MODE, EMULATION_DESCRIPTOR};
enum { SEARCH_MODE = 0, MAX_WORKSPACE_BYTES = 1, REDUCTION_SCHEME_MASK = 3, MIN_ALIGNMENT_A_BYTES = 5, MIN_ALIGNMENT_B_BYTES = 6,
       MIN_ALIGNMENT_C_BYTES = 7, MIN_ALIGNMENT_D_BYTES = 8, MAX_WAVES_COUNT = 9, IMPL_MASK = 12 };
const std::vector<Attribute> OF_PREFERENCE = {{SEARCH_MODE, 4, 0},
                                              {MAX_WORKSPACE_BYTES, 8, 0},
                                              {REDUCTION_SCHEME_MASK, 4, REDUCTION_SCHEMES},
                                              {MIN_ALIGNMENT_A_BYTES, 4, 256},
                                              {MIN_ALIGNMENT_B_BYTES, 4, 256},
                                              {MIN_ALIGNMENT_C_BYTES, 4, 256},
                                              {MIN_ALIGNMENT_D_BYTES, 4, 256},
                                              {MAX_WAVES_COUNT, 4, 0},
                                              {IMPL_MASK, 8, -1}};

bool is(const Descriptor* bag, uint32_t kind) {
    return bag && bag->kind == kind;
}
bool is(const Handle* handle) {
    return handle && handle->kind == HANDLE;
}
int set(Descriptor* bag, uint32_t kind, int number, const void* from, size_t bytes) {
    REQUIRE(is(bag, kind) && from, INVALID_VALUE);
    Attribute* const attribute = bag->find(number);
    REQUIRE(attribute, INVALID_VALUE);
    REQUIRE(attribute->bytes == bytes, INVALID_VALUE);
    int64_t value = 0;
    memcpy(&value, from, bytes);
    // Sign-extend from the attribute's own size.
    attribute->value = bytes == 4 ? (int32_t)value : bytes == 1 ? (int8_t)value : value;
    return OK;
}
int drop(Descriptor* bag, uint32_t kind) {
    if (!bag) return OK;
    REQUIRE(is(bag, kind), INVALID_VALUE);
    bag->kind = NONE;
    delete bag;
    return OK;
}

struct Problem {
    int compute, epilogue;
    bool device_scalars;
    int64_t m, n, k, batch;
    // Axes: batch, row, column; A and B as they are multiplied, after transposition.
    Array a, b, c, d;
    // Axes: batch, row.
    Array bias;

    bool has_bias() const { return epilogue & BIAS; }
    uint64_t implementation() const {
        return a.bytes == 2 ? BY_HALF : compute == COMPUTE_32F_FAST_TF32 ? BY_TF32 : BY_FMA;
    }
    // The heuristic considers the alignment that the bias pointer has when it is called.
    uint64_t bias_alignment() const { return !has_bias() ? 1 : !bias.at ? 16 : std::min<uint64_t>(bias.at & -bias.at, 16); }
};

int read_layout(const Descriptor* layout, bool may_repeat, bool transposed, Array& array) {
    REQUIRE(is(layout, LAYOUT), INVALID_VALUE);
    const Descriptor& l = *layout;
    REQUIRE(l[TYPE] == R_32F || l[TYPE] == R_16F, NOT_SUPPORTED);
    REQUIRE(l[ORDER] >= 0 && l[ORDER] < ORDERS, INVALID_VALUE);
    REQUIRE(l[ORDER] == ORDER_COL || l[ORDER] == ORDER_ROW, NOT_SUPPORTED);
    REQUIRE(l[ROWS] > 0 && l[COLS] > 0, INVALID_VALUE);
    REQUIRE(l[ROWS] <= INT32_MAX && l[COLS] <= INT32_MAX, NOT_SUPPORTED);
    const bool by_row = l[ORDER] == ORDER_ROW;
    REQUIRE(l[LD] >= (by_row ? l[COLS] : l[ROWS]) || (may_repeat && l[LD] == 0), INVALID_VALUE);
    REQUIRE(l[BATCH_COUNT] > 0, INVALID_VALUE);
    REQUIRE(l[STRIDED_BATCH_OFFSET] >= 0, INVALID_VALUE);
    REQUIRE(l[PLANE_OFFSET] == 0, INVALID_VALUE);
    REQUIRE(l[BATCH_MODE] == 0, NOT_SUPPORTED);
    const int64_t stride = l[BATCH_COUNT] > 1 ? l[STRIDED_BATCH_OFFSET] : 0;
    const int64_t down = by_row ? l[LD] : 1, along = by_row ? 1 : l[LD];
    array = {0, l[TYPE] == R_16F ? 2u : 4u, {1, 1, l[BATCH_COUNT], l[ROWS], l[COLS]}, {0, 0, stride, down, along}};
    if (transposed) {
        std::swap(array.sizes[3], array.sizes[4]);
        std::swap(array.strides[3], array.strides[4]);
    }
    return OK;
}

int parse(const Descriptor* descriptor, const Descriptor* a, const Descriptor* b, const Descriptor* c, const Descriptor* d,
          Problem& p) {
    REQUIRE(is(descriptor, MATMUL), INVALID_VALUE);
    const Descriptor& o = *descriptor;
    p.compute = o[COMPUTE_TYPE];
    REQUIRE(p.compute >= 64 && p.compute <= 79, INVALID_VALUE);
    REQUIRE(p.compute == COMPUTE_32F || p.compute == COMPUTE_32F_PEDANTIC || p.compute == COMPUTE_32F_FAST_TF32, NOT_SUPPORTED);
    REQUIRE(o[SCALE_TYPE] == R_32F, NOT_SUPPORTED);
    REQUIRE(o[POINTER_MODE] >= 0 && o[POINTER_MODE] < POINTER_MODES, INVALID_VALUE);
    REQUIRE(o[POINTER_MODE] == POINTER_MODE_HOST || o[POINTER_MODE] == POINTER_MODE_DEVICE, NOT_SUPPORTED);
    p.device_scalars = o[POINTER_MODE] == POINTER_MODE_DEVICE;
    REQUIRE(o[TRANSA] >= OP_N && o[TRANSA] <= OP_C && o[TRANSB] >= OP_N && o[TRANSB] <= OP_C, INVALID_VALUE);
    REQUIRE(o[TRANSC] == OP_N, NOT_SUPPORTED);
    REQUIRE(o[FILL_MODE] == FILL_MODE_FULL, NOT_SUPPORTED);
    for (int attribute : OF_NARROW_FLOATS) REQUIRE(o[attribute] == 0, INVALID_VALUE);
    p.epilogue = o[EPILOGUE];
    const int known = p.epilogue & ~BIAS;
    REQUIRE(p.epilogue == BIAS || known == RELU || known == GELU || p.epilogue == DEFAULT, NOT_SUPPORTED);

    // An omitted C defaults to D.
    if (!c) c = d;
    if (int code = read_layout(a, false, o[TRANSA] != OP_N, p.a)) return code;
    if (int code = read_layout(b, false, o[TRANSB] != OP_N, p.b)) return code;
    if (int code = read_layout(c, true, false, p.c)) return code;
    if (int code = read_layout(d, false, false, p.d)) return code;
    p.batch = p.d.sizes[2], p.m = p.d.sizes[3], p.n = p.d.sizes[4], p.k = p.a.sizes[4];
    REQUIRE(p.a.sizes[3] == p.m && p.b.sizes[4] == p.n && p.b.sizes[3] == p.k, INVALID_VALUE);
    REQUIRE(p.c.sizes[3] == p.m && p.c.sizes[4] == p.n, INVALID_VALUE);
    REQUIRE(p.a.sizes[2] == p.batch && p.b.sizes[2] == p.batch && p.c.sizes[2] == p.batch, INVALID_VALUE);
    REQUIRE(p.d.is_writable(), INVALID_VALUE);
    REQUIRE((*c)[ORDER] == (*d)[ORDER], NOT_SUPPORTED);
    // The table of types: float16 operands allow float16 or float32 results; TF32 requires float32.
    REQUIRE(p.a.bytes == p.b.bytes && p.c.bytes == p.d.bytes, NOT_SUPPORTED);
    REQUIRE(p.a.bytes == 2 || p.d.bytes == 4, NOT_SUPPORTED);
    REQUIRE(p.a.bytes == 4 || p.compute != COMPUTE_32F_FAST_TF32, NOT_SUPPORTED);
    if (p.has_bias()) {
        const int64_t type = o[BIAS_DATA_TYPE];
        REQUIRE(type == -1 || type == (*d)[TYPE], NOT_SUPPORTED);
        // Undocumented, but observed on all tested GPUs.
        REQUIRE((*d)[ORDER] == ORDER_COL, NOT_SUPPORTED);
        REQUIRE(o[BIAS_BATCH_STRIDE] >= 0, INVALID_VALUE);
        const int64_t stride = p.batch > 1 ? o[BIAS_BATCH_STRIDE] : 0;
        p.bias = {(uint64_t)o[BIAS_POINTER], p.d.bytes, {1, 1, 1, p.batch, p.m}, {0, 0, 0, stride, 1}};
    } else {
        p.bias = {0, 4, {1, 1, 1, 1, 1}, {0, 0, 0, 0, 0}};
    }
    return OK;
}

// The opaque 64 bytes of an algorithm, which is valid for one problem. A checksum detects invalid bytes.
struct Algo {
    uint64_t problem, workspace;
    uint32_t alignments[4];
    uint64_t bias_alignment, unused[2], sum;
};
static_assert(sizeof(Algo) == 64, "cublasLtMatmulAlgo_t");
uint64_t sum_of(const void* data, size_t bytes, uint64_t sum = 0xcbf29ce484222325) {
    for (size_t i = 0; i < bytes; i++) sum = (sum ^ ((const unsigned char*)data)[i]) * 0x100000001b3;
    return sum;
}
uint64_t sum_of(const Problem& p) {
    const int64_t numbers[] = {p.compute, p.epilogue, p.device_scalars, p.m, p.n, p.k, p.batch};
    uint64_t sum = sum_of(numbers, sizeof numbers);
    for (const Array* array : {&p.a, &p.b, &p.c, &p.d, &p.bias}) {
        const Array layout = array->on(nullptr);
        sum = sum_of(&layout, sizeof layout, sum);
    }
    return sum;
}
uint64_t sum_of(const Algo& algo) {
    return sum_of(&algo, offsetof(Algo, sum));
}
Algo algo_for(const Problem& p, size_t workspace, const uint32_t (&alignments)[4]) {
    Algo algo = {sum_of(p), workspace, {}, p.bias_alignment(), {}, 0};
    std::copy(alignments, alignments + 4, algo.alignments);
    algo.sum = sum_of(algo);
    return algo;
}

// The layout of cublasLtMatmulHeuristicResult_t.
struct Result {
    Algo algo;
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};
static_assert(sizeof(Result) == 96, "cublasLtMatmulHeuristicResult_t");

float by_epilogue(int epilogue, float x) {
    if (epilogue & RELU) return x > 0 || x != x ? x : 0;
    // The tanh approximation, as in the library.
    if (epilogue & GELU) return (float)(0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * (double)x * x * x))));
    return x;
}
void multiply(const Problem& p, float alpha, float beta) {
    const library::Rounding how = p.implementation() == BY_TF32 ? library::TO_TF32 : library::EXACT;
    std::vector<double> a(p.k * p.m), b(p.k * p.n), sums(p.m);
    for (int64_t batch = 0; batch < p.batch; batch++) {
        const auto at = [batch](const Array& x, int64_t i, int64_t j) {
            return batch * x.strides[2] + i * x.strides[3] + j * x.strides[4];
        };
        for (int64_t l = 0; l < p.k; l++) {
            for (int64_t i = 0; i < p.m; i++) a[l * p.m + i] = library::rounded(load(p.a, at(p.a, i, l)), how);
            for (int64_t j = 0; j < p.n; j++) b[l * p.n + j] = library::rounded(load(p.b, at(p.b, l, j)), how);
        }
        for (int64_t j = 0; j < p.n; j++) {
            std::fill(sums.begin(), sums.end(), 0);
            for (int64_t l = 0; l < p.k; l++) {
                const double factor = b[l * p.n + j];
                const double* column = &a[l * p.m];
                for (int64_t i = 0; i < p.m; i++) sums[i] += factor * column[i];
            }
            for (int64_t i = 0; i < p.m; i++) {
                double x = alpha * sums[i];
                // C is read only if beta is not 0.
                if (beta != 0) x += (double)beta * load(p.c, at(p.c, i, j));
                if (p.has_bias()) x += load(p.bias, batch * p.bias.strides[3] + i);
                store(p.d, at(p.d, i, j), by_epilogue(p.epilogue, (float)x));
            }
        }
    }
}
}  // namespace

extern "C" {
size_t cublasLtGetVersion() { return 130000; }
size_t cublasLtGetCudartVersion() { return 13000; }
const char* cublasLtGetStatusName(int code) {
    switch (code) {
        case OK: return "CUBLAS_STATUS_SUCCESS";
        case NOT_INITIALIZED: return "CUBLAS_STATUS_NOT_INITIALIZED";
        case ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
        case INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
        case ARCH_MISMATCH: return "CUBLAS_STATUS_ARCH_MISMATCH";
        case MAPPING_ERROR: return "CUBLAS_STATUS_MAPPING_ERROR";
        case EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
        case INTERNAL_ERROR: return "CUBLAS_STATUS_INTERNAL_ERROR";
        case NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
        case LICENSE_ERROR: return "CUBLAS_STATUS_LICENSE_ERROR";
    }
    return "unrecognized status";
}
const char* cublasLtGetStatusString(int code) {
    switch (code) {
        case OK: return "success";
        case NOT_INITIALIZED: return "the library was not initialized";
        case ALLOC_FAILED: return "the resource allocation failed";
        case INVALID_VALUE: return "an unsupported value or parameter was passed to the function";
        case ARCH_MISMATCH: return "the function requires an architectural feature absent from the device";
        case MAPPING_ERROR: return "an access to GPU memory space failed";
        case EXECUTION_FAILED: return "the function failed to launch on the GPU";
        case INTERNAL_ERROR: return "an internal operation failed";
        case NOT_SUPPORTED: return "the requested functionality is not supported";
        case LICENSE_ERROR: return "the license check failed";
    }
    return "unrecognized status";
}
int cublasLtCreate(Handle** handle) {
    REQUIRE(handle, INVALID_VALUE);
    // Creating a handle allocates memory.
    REQUIRE(!emulated_is_capturing(), INTERNAL_ERROR);
    *handle = new Handle{HANDLE};
    return OK;
}
int cublasLtDestroy(Handle* handle) {
    REQUIRE(is(handle), INVALID_VALUE);
    REQUIRE(!emulated_is_capturing(), INTERNAL_ERROR);
    handle->kind = NONE;
    delete handle;
    return OK;
}

int cublasLtMatmulDescCreate(Descriptor** made, int compute_type, int scale_type) {
    REQUIRE(made, INVALID_VALUE);
    *made = new Descriptor{MATMUL, OF_MATMUL};
    (*made)->find(COMPUTE_TYPE)->value = compute_type;
    (*made)->find(SCALE_TYPE)->value = scale_type;
    return OK;
}
int cublasLtMatmulDescDestroy(Descriptor* bag) { return drop(bag, MATMUL); }
int cublasLtMatmulDescSetAttribute(Descriptor* bag, int number, const void* from, size_t bytes) {
    return set(bag, MATMUL, number, from, bytes);
}
int cublasLtMatrixLayoutCreate(Descriptor** made, int type, uint64_t rows, uint64_t cols, int64_t ld) {
    REQUIRE(made, INVALID_VALUE);
    *made = new Descriptor{LAYOUT, OF_LAYOUT};
    (*made)->find(TYPE)->value = type;
    (*made)->find(ROWS)->value = rows;
    (*made)->find(COLS)->value = cols;
    (*made)->find(LD)->value = ld;
    return OK;
}
int cublasLtMatrixLayoutDestroy(Descriptor* bag) { return drop(bag, LAYOUT); }
int cublasLtMatrixLayoutSetAttribute(Descriptor* bag, int number, const void* from, size_t bytes) {
    return set(bag, LAYOUT, number, from, bytes);
}
int cublasLtMatmulPreferenceCreate(Descriptor** made) {
    REQUIRE(made, INVALID_VALUE);
    *made = new Descriptor{PREFERENCE, OF_PREFERENCE};
    return OK;
}
int cublasLtMatmulPreferenceDestroy(Descriptor* bag) { return drop(bag, PREFERENCE); }
int cublasLtMatmulPreferenceSetAttribute(Descriptor* bag, int number, const void* from, size_t bytes) {
    return set(bag, PREFERENCE, number, from, bytes);
}

int cublasLtMatmulAlgoGetHeuristic(Handle* handle, Descriptor* descriptor, Descriptor* a, Descriptor* b, Descriptor* c,
                                   Descriptor* d, Descriptor* preference, int requested, Result* results, int* returned) {
    REQUIRE(is(handle), NOT_INITIALIZED);
    REQUIRE(requested > 0 && results && returned, INVALID_VALUE);
    *returned = 0;
    const char* mode = getenv("TPULANG_EMULATED");
    REQUIRE(!mode || strcmp(mode, "declining"), NOT_SUPPORTED);
    REQUIRE(is(preference, PREFERENCE), INVALID_VALUE);
    Problem p;
    if (int code = parse(descriptor, a, b, c, d, p)) return code;
    const Descriptor& wanted = *preference;
    REQUIRE(wanted[SEARCH_MODE] == 0, NOT_SUPPORTED);
    REQUIRE((wanted[REDUCTION_SCHEME_MASK] & ~REDUCTION_SCHEMES) == 0, INVALID_VALUE);
    REQUIRE((p.implementation() & ~wanted[IMPL_MASK]) == 0, NOT_SUPPORTED);
    uint32_t alignments[4];
    const size_t sizes[] = {p.a.bytes, p.b.bytes, p.c.bytes, p.d.bytes};
    for (int i = 0; i < 4; i++) {
        alignments[i] = wanted[MIN_ALIGNMENT_A_BYTES + i];
        REQUIRE(alignments[i] && !(alignments[i] & (alignments[i] - 1)), INVALID_VALUE);
        REQUIRE(alignments[i] >= sizes[i], NOT_SUPPORTED);
    }
    // The best comes first. The second is invalid, to catch callers that ignore `state`.
    Result all[3];
    int n = 0;
    const auto add = [&](size_t workspace, int state) {
        all[n++] = {state ? Algo{} : algo_for(p, workspace, alignments), workspace, state, 1, {}};
    };
    if ((uint64_t)wanted[MAX_WORKSPACE_BYTES] >= WORKSPACE) add(WORKSPACE, OK);
    if (n) add(0, NOT_SUPPORTED);
    add(0, OK);
    *returned = std::min(n, requested);
    std::copy(all, all + *returned, results);
    return OK;
}

int cublasLtMatmul(Handle* handle, Descriptor* descriptor, const void* alpha, const void* a, Descriptor* of_a, const void* b,
                   Descriptor* of_b, const void* beta, const void* c, Descriptor* of_c, void* d, Descriptor* of_d,
                   const Algo* algo, void* workspace, size_t workspace_bytes, void* stream) {
    REQUIRE(is(handle), NOT_INITIALIZED);
    REQUIRE(alpha && beta, INVALID_VALUE);
    Problem p;
    if (int code = parse(descriptor, of_a, of_b, of_c, of_d, p)) return code;
    p.a = p.a.on(a), p.b = p.b.on(b), p.c = p.c.on(c), p.d = p.d.on(d);
    Algo chosen;
    if (algo) {
        REQUIRE(algo->sum == sum_of(*algo), INVALID_VALUE);
        REQUIRE(algo->problem == sum_of(p), INVALID_VALUE);
        chosen = *algo;
    } else {
        chosen = algo_for(p, 0, {(uint32_t)p.a.bytes, (uint32_t)p.b.bytes, (uint32_t)p.c.bytes, (uint32_t)p.d.bytes});
    }
    REQUIRE(p.a.is_valid(chosen.alignments[0]), INVALID_VALUE);
    REQUIRE(p.b.is_valid(chosen.alignments[1]), INVALID_VALUE);
    REQUIRE(p.c.is_valid(chosen.alignments[2]), INVALID_VALUE);
    REQUIRE(p.d.is_valid(chosen.alignments[3]), INVALID_VALUE);
    REQUIRE(!p.has_bias() || p.bias.is_valid(std::max<size_t>(chosen.bias_alignment, p.bias.bytes)), INVALID_VALUE);
    const bool scalars_on_device = emulated_is_allocated((uint64_t)alpha, 4) && emulated_is_allocated((uint64_t)beta, 4);
    REQUIRE(!p.device_scalars || scalars_on_device, INVALID_VALUE);
    REQUIRE(p.d.is_disjoint(p.a) && p.d.is_disjoint(p.b), INVALID_VALUE);
    REQUIRE(!p.has_bias() || p.d.is_disjoint(p.bias), INVALID_VALUE);
    // In place, or without overlap.
    REQUIRE(p.c.is_identical(p.d) || p.d.is_disjoint(p.c), INVALID_VALUE);
    REQUIRE(workspace_bytes >= chosen.workspace, INVALID_VALUE);
    if (workspace_bytes) {
        const Array given = library::bytes_at(workspace, workspace_bytes);
        REQUIRE(given.is_valid(WORKSPACE_ALIGNMENT), INVALID_VALUE);
        for (const Array* array : {&p.a, &p.b, &p.c, &p.d, &p.bias})
            REQUIRE((array == &p.bias && !p.has_bias()) || given.is_disjoint(*array), INVALID_VALUE);
    }
    if (library::is_verbose())
        fprintf(stderr, "cublasLt %ld %ld %ld %ld %s%s%s%s%s\n", (long)p.m, (long)p.n, (long)p.k, (long)p.batch,
                p.a.bytes == 2 ? "f16" : "f32", p.compute == COMPUTE_32F_FAST_TF32 ? " tf32" : "", p.has_bias() ? " bias" : "",
                p.epilogue & RELU ? " relu" : "", p.epilogue & GELU ? " gelu" : "");
    // Scalars in host memory are read now, those in device memory when the work runs.
    const float host_alpha = p.device_scalars ? 0 : *(const float*)alpha, host_beta = p.device_scalars ? 0 : *(const float*)beta;
    const size_t needed = chosen.workspace;
    const int code = library::submit(stream, [=]() -> int {
        for (const Array* array : {&p.a, &p.b, &p.c, &p.d, &p.bias})
            if (array->at && !array->is_valid(1)) return library::ILLEGAL_ADDRESS;
        if (needed && !emulated_is_allocated((uint64_t)workspace, needed)) return library::ILLEGAL_ADDRESS;
        library::clobber(workspace, needed);
        if (p.device_scalars)
            multiply(p, *(const float*)alpha, *(const float*)beta);
        else
            multiply(p, host_alpha, host_beta);
        return 0;
    });
    REQUIRE(code == 0, EXECUTION_FAILED);
    return OK;
}
}
