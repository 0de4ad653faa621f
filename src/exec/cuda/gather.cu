#include "index.cuh"

// Elements are moved by their bits.

// In the place of each entry of an axis of `count`, those that the indices name; `inner` elements an entry.
template <class T>
__global__ void entries(const T* __restrict__ from, T* __restrict__ to, const i64* __restrict__ indices, i64 axis, i64 count,
                        i64 chosen, i64 inner, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 at = entry(indices[i / inner % chosen], axis, count, faults);
        to[i] = from[(i / inner / chosen * count + at) * inner + i % inner];
    }
}

// From each place so many elements.
template <class T>
__global__ void taken(const T* __restrict__ from, T* __restrict__ to, const i64* __restrict__ places, i64 run, i64 n) {
    FOR_ELEMENTS(i, n) to[i] = from[places[i / run] + i % run];
}

// Where in a tensor each index points: along one axis to the entry that it names, on the others to its own place. `axes` are
// for each axis the entries of the indices and of the tensor, and how far apart the tensor's lie.
__global__ void places_along(const i64* __restrict__ indices, i64* __restrict__ places, const i64* __restrict__ axes, i64 rank,
                             i64 axis, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        i64 left = i, place = 0;
        for (i64 a = rank - 1; a >= 0; a--) {
            const i64 own = axes[3 * a], count = axes[3 * a + 1], step = axes[3 * a + 2];
            place += (a == axis ? entry(indices[i], axis, count, faults) : left % own) * step;
            left /= own;
        }
        places[i] = place;
    }
}

// Where in a tensor each tuple points, whose `length` indices name entries of the axes from `first` on; the tuples are divided
// into parts of `each`, which have `whole` elements of the tensor. `axes` are for each axis of a tuple the entries, and how far
// apart they lie.
__global__ void places_of_tuples(const i64* __restrict__ indices, i64* __restrict__ places, const i64* __restrict__ axes,
                                 i64 length, i64 first, i64 each, i64 whole, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        i64 place = i / each * whole;
        for (i64 k = 0; k < length; k++) {
            place += entry(indices[i * length + k], first + k, axes[2 * k], faults) * axes[2 * k + 1];
        }
        places[i] = place;
    }
}

// Where indices point that name one of `count` runs of a part, so many indices a part.
__global__ void places_within(const i64* __restrict__ indices, i64* __restrict__ places, i64 of, i64 count, i64 each, i64 run,
                              Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) places[i] = (i / each * count + one_of(indices[i], of, count, faults)) * run;
}

// For products of each row with the matrix of its expert: where the row, which so many have in common, and the matrix begin.
__global__ void places_of_experts(const i64* __restrict__ ids, i64* __restrict__ places, i64 experts, i64 sharing, i64 row,
                                  i64 matrix, Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        places[2 * i] = i / sharing * row;
        places[2 * i + 1] = one_of(ids[i], EXPERTS, experts, faults) * matrix;
    }
}

// By the bits of each value: entry 255 is that of -1.
__global__ void looked_up(const u8* __restrict__ from, u8* __restrict__ to, const u8* __restrict__ table, i64 n) {
    FOR_ELEMENTS(i, n) to[i] = table[from[i]];
}

// Rows of a table of numbers of 4 or 8 bits, which `group` of a row have a scale and a zero point for. Of a packed pair the first
// is in the lower four bits.
template <class T>
__global__ void unpacked(const T* __restrict__ table, float* __restrict__ to, const i64* __restrict__ indices,
                         const float* __restrict__ scale, const float* __restrict__ zero, i64 rows, i64 entries, i64 group, i64 bits,
                         Faults* faults, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 at = entry(indices[i / entries], 0, rows, faults) * entries + i % entries;
        const int byte = table[bits == 8 ? at : at / 2];
        const int number = bits == 8 ? byte : at % 2 ? byte >> 4 : byte & 15;
        to[i] = ((float)number - zero[at / group]) * scale[at / group];
    }
}
