// Code shared by the emulated cuBLASLt and cuDNN: work submitted to the emulated driver's streams, arrays in its memory, and
// rounding as in tensor cores. Written from NVIDIA's documentation, and stricter than NVIDIA's libraries where those leave
// results undefined.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <utility>
#include <vector>

extern "C" {
int emulated_submit(void* stream, int (*run)(void*), void* data, void (*drop)(void*));
int emulated_is_allocated(uint64_t address, size_t bytes);
int emulated_is_capturing();
}

namespace library {
inline bool is_verbose() {
    const char* mode = getenv("TPULANG_EMULATED");
    return mode && !strcmp(mode, "verbose");
}
inline int rejected(const char* library, const char* call, const char* unmet, int code) {
    if (is_verbose()) fprintf(stderr, "%s rejects %s: requires %s\n", library, call, unmet);
    return code;
}

// Submits the work of a call, which runs now or when its graph is launched.
template <class F> int submit(void* stream, F work) {
    return emulated_submit(
        stream, [](void* f) { return (*(F*)f)(); }, new F(std::move(work)), [](void* f) { delete (F*)f; });
}

enum { ILLEGAL_ADDRESS = 700 };

// An array in device memory with up to 5 axes; strides are in elements.
struct Array {
    uint64_t at;
    size_t bytes;
    int64_t sizes[5], strides[5];

    int64_t extent() const {
        int64_t last = 0;
        for (int i = 0; i < 5; i++) last += (sizes[i] - 1) * strides[i];
        return last + 1;
    }
    // Returns the same array at another address.
    Array on(const void* address) const {
        Array p = *this;
        p.at = (uint64_t)address;
        return p;
    }
    bool is_valid(size_t alignment) const {
        return at && at % alignment == 0 && emulated_is_allocated(at, extent() * bytes);
    }
    template <class F> void each(F f) const {
        for (int64_t a = 0; a < sizes[0]; a++)
            for (int64_t b = 0; b < sizes[1]; b++)
                for (int64_t c = 0; c < sizes[2]; c++)
                    for (int64_t d = 0; d < sizes[3]; d++)
                        for (int64_t e = 0; e < sizes[4]; e++)
                            f(a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3] + e * strides[4]);
    }
    bool is_identical(const Array& other) const { return !memcmp(this, &other, sizeof *this); }
    // Whether no byte belongs to both arrays. The columns of one array may be interleaved with those of another.
    bool is_disjoint(const Array& other) const {
        const uint64_t end = at + extent() * bytes, others = other.at + other.extent() * other.bytes;
        if (end <= other.at || others <= at) return true;
        std::vector<bool> mine(end - at);
        each([&](int64_t i) { std::fill_n(mine.begin() + i * bytes, bytes, true); });
        bool apart = true;
        other.each([&](int64_t i) {
            for (uint64_t byte = other.at + i * other.bytes, n = 0; n < other.bytes; n++, byte++)
                if (byte >= at && byte < end && mine[byte - at]) apart = false;
        });
        return apart;
    }
    // Whether each element has its own memory.
    bool is_writable() const {
        std::pair<int64_t, int64_t> axes[5];
        for (int i = 0; i < 5; i++) axes[i] = {strides[i], sizes[i]};
        std::sort(axes, axes + 5);
        // Usually each stride exceeds the extent of the axes within it.
        int64_t within = 1;
        bool nested = true;
        for (const auto& [stride, size] : axes)
            if (size > 1) {
                nested &= stride >= within;
                within += (size - 1) * stride;
            }
        if (nested) return true;
        std::vector<bool> mine(extent());
        bool once = true;
        each([&](int64_t i) {
            once &= !mine[i];
            mine[i] = true;
        });
        return once;
    }
};
inline Array bytes_at(const void* address, size_t n) {
    return {(uint64_t)address, 1, {1, 1, 1, 1, (int64_t)n}, {0, 0, 0, 0, 1}};
}
// Overwrites a workspace, so that callers notice if they keep data in it.
inline void clobber(const void* workspace, size_t n) {
    if (n) memset((void*)workspace, 0xff, n);
}

// The rounding of an operand before multiplication.
enum Rounding { EXACT, TO_TF32, TO_HALF };
inline float rounded(float x, Rounding how) {
    if (how == TO_HALF) return (float)(_Float16)x;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    // Round the 23-bit mantissa to 10 bits, to the nearest with ties to even; infinities and NaN are unchanged.
    if (how == TO_TF32 && (bits & 0x7f800000) != 0x7f800000) bits = (bits + 0xfff + (bits >> 13 & 1)) & ~0x1fffu;
    memcpy(&x, &bits, 4);
    return x;
}
inline float load(const Array& from, int64_t i) {
    return from.bytes == 2 ? (float)((const _Float16*)from.at)[i] : ((const float*)from.at)[i];
}
inline void store(const Array& to, int64_t i, float value) {
    if (to.bytes == 2)
        ((_Float16*)to.at)[i] = (_Float16)value;
    else
        ((float*)to.at)[i] = value;
}
// Returns the elements in the order of the axes.
inline std::vector<double> packed(const Array& from, Rounding how) {
    std::vector<double> all;
    from.each([&](int64_t i) { all.push_back(rounded(load(from, i), how)); });
    return all;
}
}  // namespace library
