// Bounds checks of indices that are known only on the device. The first index out of range is recorded until the backend reads
// the record. Negative kinds are those of semantics::IndexKind; other kinds are axes.
enum { PLACES = -1, PLANE = -2, IMAGES = -3, LEVELS = -4, EXPERTS = -5 };

struct Faults {
    u64 found;
    i64 kind, count, index;
    double real;
};

// Records that an index into `count` entries is out of range. The index is an integer or a float.
__device__ inline void record_fault(Faults* faults, i64 kind, i64 count, i64 index, double real) {
    if (atomicCAS(&faults->found, 0ull, 1ull)) return;
    faults->kind = kind;
    faults->count = count;
    faults->index = index;
    faults->real = real;
}

// Returns the entry of an axis that an index selects; negative indices count from the end. Returns 0 if the index is out of
// range.
__device__ inline i64 resolve_index(i64 index, i64 axis, i64 count, Faults* faults) {
    const i64 position = index < 0 ? index + count : index;
    if (position >= 0 && position < count) return position;
    record_fault(faults, axis, count, index, 0);
    return 0;
}

// Returns an index into `count` entries, or 0 if it is out of range. Negative indices are out of range.
__device__ inline i64 checked_index(i64 index, i64 kind, i64 count, Faults* faults) {
    if (index >= 0 && index < count) return index;
    record_fault(faults, kind, count, index, 0);
    return 0;
}
__device__ inline i64 checked_index(float index, i64 kind, i64 count, Faults* faults) {
    if (index >= 0 && index < (float)count && (i64)index < count) return (i64)index;
    record_fault(faults, kind, count, 0, index);
    return 0;
}
