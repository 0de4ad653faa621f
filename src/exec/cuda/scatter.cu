// Scatter. An update replaces or modifies a run of `run` elements. Elements that are only copied are unsigned integers of the
// same size.
__global__ void clear(u64* __restrict__ to, i64 n) {
    FOR_ELEMENTS(i, n) to[i] = 0;
}

// Finds the last update of each run, counted from 1.
__global__ void last_update(const i64* __restrict__ offsets, u64* __restrict__ last, i64 run, i64 n) {
    FOR_ELEMENTS(i, n) atomicMax(&last[offsets[i] / run], (u64)i + 1);
}

// Writes the tensor, or zeros without one, with the last update of each run.
template <class T>
__global__ void replace(const T* __restrict__ from, const T* __restrict__ updates, const u64* __restrict__ last,
                        T* __restrict__ to, i64 run, i64 has_input, i64 n) {
    FOR_ELEMENTS(i, n) {
        const u64 update = last[i / run];
        to[i] = update ? updates[((i64)update - 1) * run + i % run] : has_input ? from[i] : (T)0;
    }
}

// Combines an element with an update, numbered as ops::Reduction. Maximum and minimum propagate NaN.
enum { REPLACE, ADD, SUB, MAX, MIN, MUL };
__device__ inline float combine(float old, float update, i64 reduction) {
    switch (reduction) {
        case ADD: return old + update;
        case SUB: return old - update;
        case MAX: return update > old || update != update ? update : old;
        case MIN: return update < old || update != update ? update : old;
        case MUL: return old * update;
        default: return update;
    }
}
__device__ inline i64 combine(i64 old, i64 update, i64 reduction) {
    switch (reduction) {
        case ADD: return saturating_add(old, update);
        case SUB: return saturating_sub(old, update);
        case MAX: return update > old ? update : old;
        case MIN: return update < old ? update : old;
        case MUL: return saturating_mul(old, update);
        default: return update;
    }
}

// Applies all updates in their original order to the tensor, or to zeros without one. `order` sorts the updates by offset.
template <class T>
__global__ void scatter_reduce(const T* __restrict__ from, const T* __restrict__ updates, const i64* __restrict__ offsets,
                               const i64* __restrict__ order, T* __restrict__ to, i64 run, i64 count, i64 reduction,
                               i64 has_input, i64 n) {
    FOR_ELEMENTS(i, n) {
        const i64 offset = i / run * run;
        i64 low = 0, high = count;
        while (low < high) {
            const i64 middle = low + (high - low) / 2;
            if (offsets[order[middle]] < offset) low = middle + 1;
            else high = middle;
        }
        T value = has_input ? from[i] : (T)0;
        for (; low < count && offsets[order[low]] == offset; low++) {
            value = combine(value, updates[order[low] * run + i % run], reduction);
        }
        to[i] = value;
    }
}
