// Updates of a tensor, of which it has in each place `run` elements. Elements that are only replaced are moved by their bits.
__global__ void cleared(u64* __restrict__ to, i64 n) {
    FOR_ELEMENTS(i, n) to[i] = 0;
}

// For each place the last update that names it, counted from 1.
__global__ void latest(const i64* __restrict__ places, u64* __restrict__ last, i64 run, i64 n) {
    FOR_ELEMENTS(i, n) atomicMax(&last[places[i] / run], (u64)i + 1);
}

// The tensor, or where there is none 0, with what was last put into each place.
template <class T>
__global__ void replaced(const T* __restrict__ from, const T* __restrict__ updates, const u64* __restrict__ last, T* __restrict__ to,
                         i64 run, i64 is_there, i64 n) {
    FOR_ELEMENTS(i, n) {
        const u64 update = last[i / run];
        to[i] = update ? updates[((i64)update - 1) * run + i % run] : is_there ? from[i] : (T)0;
    }
}

// What becomes of an element and an update: numbered as ops::Reduction. NaN stays, and is put.
enum { REPLACE, ADD, SUB, MAX, MIN, MUL };
__device__ inline float combined(float old, float update, i64 reduction) {
    switch (reduction) {
        case ADD: return old + update;
        case SUB: return old - update;
        case MAX: return update > old || update != update ? update : old;
        case MIN: return update < old || update != update ? update : old;
        case MUL: return old * update;
        default: return update;
    }
}
__device__ inline i64 combined(i64 old, i64 update, i64 reduction) {
    switch (reduction) {
        case ADD: return plus(old, update);
        case SUB: return minus(old, update);
        case MAX: return update > old ? update : old;
        case MIN: return update < old ? update : old;
        case MUL: return times(old, update);
        default: return update;
    }
}

// The tensor, or where there is none 0, with all updates in their own order; `order` has them by their places.
template <class T>
__global__ void reduced(const T* __restrict__ from, const T* __restrict__ updates, const i64* __restrict__ places,
                        const i64* __restrict__ order, T* __restrict__ to, i64 run, i64 count, i64 reduction, i64 is_there, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 place = i / run * run;
        i64 low = 0, high = count;
        while (low < high) {
            const i64 half = low + (high - low) / 2;
            if (places[order[half]] < place) low = half + 1;
            else high = half;
        }
        T value = is_there ? from[i] : (T)0;
        for (; low < count && places[order[low]] == place; low++) {
            value = combined(value, updates[order[low] * run + i % run], reduction);
        }
        to[i] = value;
    }
}
