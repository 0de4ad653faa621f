#include "index.cuh"

// Elements are copied as unsigned integers of the same size.

typedef Vec4<unsigned> Bytes16;

// Gathers entries of an axis of `count` entries, each of `inner` elements: `indices` selects `chosen` of them. Several elements
// may be copied as one.
template <class T, class I>
__global__ void gather(const T* __restrict__ from, T* __restrict__ to, const i64* __restrict__ indices, i64 axis, i64 count,
                       i64 chosen, i64 inner, Faults* faults, i64 n) {
    FOR_INDICES(I, i, (I)n) {
        const I entry = i / (I)inner, outer = entry / (I)chosen;
        const i64 at = resolve_index(indices[entry - outer * (I)chosen], axis, count, faults);
        to[i] = from[(outer * count + at) * inner + (i - entry * (I)inner)];
    }
}

// Copies a run of `run` elements from each offset.
template <class T>
__global__ void copy_runs(const T* __restrict__ from, T* __restrict__ to, const i64* __restrict__ offsets, i64 run, i64 n) {
    FOR_ELEMENTS(i, n) to[i] = from[offsets[i / run] + i % run];
}

// Computes the offset that each index selects: along `axis`, the index selects the entry; along the other axes, the index keeps
// its own position. `axes` holds for each axis the sizes of the indices and of the tensor, and the tensor's stride.
__global__ void offsets_along(const i64* __restrict__ indices, i64* __restrict__ offsets, const i64* __restrict__ axes,
                              i64 rank, i64 axis, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        i64 rest = i, offset = 0;
        for (i64 a = rank - 1; a >= 0; a--) {
            const i64 size = axes[3 * a], count = axes[3 * a + 1], step = axes[3 * a + 2];
            offset += (a == axis ? resolve_index(indices[i], axis, count, faults) : rest % size) * step;
            rest /= size;
        }
        offsets[i] = offset;
    }
}

// Computes the offset that each tuple of `length` indices selects, along the axes from `first` on. Each batch entry has `each`
// tuples and `part_size` elements of the tensor. `axes` holds the size and the stride of each indexed axis.
__global__ void tuple_offsets(const i64* __restrict__ indices, i64* __restrict__ offsets, const i64* __restrict__ axes,
                              i64 length, i64 first, i64 each, i64 part_size, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        i64 offset = i / each * part_size;
        for (i64 k = 0; k < length; k++) {
            offset += resolve_index(indices[i * length + k], first + k, axes[2 * k], faults) * axes[2 * k + 1];
        }
        offsets[i] = offset;
    }
}

// Computes the offset of the run that each index selects. A part has `count` runs of `run` elements, and `each` indices.
__global__ void run_offsets(const i64* __restrict__ indices, i64* __restrict__ offsets, i64 kind, i64 count, i64 each, i64 run,
                            Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) offsets[i] = (i / each * count + checked_index(indices[i], kind, count, faults)) * run;
}

// Computes two offsets for each expert index: of the row, which `sharing` indices share, and of the expert's matrix.
__global__ void expert_offsets(const i64* __restrict__ ids, i64* __restrict__ offsets, i64 experts, i64 sharing, i64 row,
                               i64 matrix, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        offsets[2 * i] = i / sharing * row;
        offsets[2 * i + 1] = checked_index(ids[i], EXPERTS, experts, faults) * matrix;
    }
}

// Looks up each byte in a table. Signed bytes are read as unsigned: the entry of -1 is 255.
__global__ void lookup(const u8* __restrict__ from, u8* __restrict__ to, const u8* __restrict__ table, i64 n) {
    FOR_ELEMENTS(i, n) to[i] = table[from[i]];
}

// Gathers and dequantizes rows of a table of 4-bit or 8-bit integers. Every `group` elements share a scale and a zero point. Of
// two packed 4-bit integers, which are unsigned, the first is in the low bits.
template <class T>
__global__ void gather_dequantize(const T* __restrict__ table, float* __restrict__ to, const i64* __restrict__ indices,
                                  const float* __restrict__ scale, const float* __restrict__ zero, i64 rows, i64 columns,
                                  i64 group, i64 bits, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 at = resolve_index(indices[i / columns], 0, rows, faults) * columns + i % columns;
        const int byte = table[bits == 8 ? at : at / 2];
        const int number = bits == 8 ? byte : (at % 2 ? byte >> 4 : byte) & 15;
        to[i] = ((float)number - zero[at / group]) * scale[at / group];
    }
}
