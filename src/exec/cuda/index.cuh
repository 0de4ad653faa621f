// Indices, which are checked where they are used. The first that is impossible is remembered until the backend asks; what it
// finds then is told in words by meaning::Indexed, of which these are the numbers. Axes are numbered by themselves.
enum { PLACES = -1, PLANE = -2, IMAGES = -3, LEVELS = -4, EXPERTS = -5 };

struct Faults {
    u64 found;
    i64 of, count, index;
    double real;
};

// An index of so many was impossible: a whole number, or a real one.
__device__ inline void fault(Faults* faults, i64 of, i64 count, i64 index, double real) {
    if (atomicCAS(&faults->found, 0ull, 1ull)) return;
    faults->of = of;
    faults->count = count;
    faults->index = index;
    faults->real = real;
}

// The entry of an axis that an index names, counted from the end where negative; in the place of an impossible one the first.
__device__ inline i64 entry(i64 index, i64 axis, i64 count, Faults* faults) {
    const i64 place = index < 0 ? index + count : index;
    if (place >= 0 && place < count) return place;
    fault(faults, axis, count, index, 0);
    return 0;
}

// One of so many things, as an index names it; in the place of an impossible one the first.
__device__ inline i64 one_of(i64 index, i64 of, i64 count, Faults* faults) {
    if (index >= 0 && index < count) return index;
    fault(faults, of, count, index, 0);
    return 0;
}
__device__ inline i64 one_of(float index, i64 of, i64 count, Faults* faults) {
    if (index >= 0 && index < (float)count && (i64)index < count) return (i64)index;
    fault(faults, of, count, 0, index);
    return 0;
}
