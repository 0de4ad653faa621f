// Block-wide reductions. All threads of the block must call them, and all get the result.
template <class T> struct Add {
    static __device__ T of(T x, T y) { return x + y; }
};
// Propagates NaN.
template <class T> struct Max {
    static __device__ T of(T x, T y) { return y > x || y != y ? y : x; }
};
template <class T> struct Min {
    static __device__ T of(T x, T y) { return y < x || y != y ? y : x; }
};

template <template <class> class F, class T> __device__ T warp_reduce(T value) {
    for (int offset = 16; offset; offset >>= 1) value = F<T>::of(value, __shfl_xor_sync(0xffffffffu, value, offset));
    return value;
}
template <template <class> class F, class T> __device__ T block_reduce(T value, T identity) {
    __shared__ T partials[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = warp_reduce<F>(value);
    __syncthreads();
    if (lane == 0) partials[warp] = value;
    __syncthreads();
    return warp_reduce<F>(lane < warps ? partials[lane] : identity);
}

// Calls `f(index, value)` for each of this thread's elements of a row of n. Reads four at a time if rows are aligned.
template <class T, class F> __device__ __forceinline__ void for_each_in_row(const T* x, i64 n, F f) {
    if (n % 4) {
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) f(i, (float)x[i]);
        return;
    }
    for (i64 q = threadIdx.x; q < n / 4; q += blockDim.x) {
        const Vec4<T> four = ((const Vec4<T>*)x)[q];
        for (int l = 0; l < 4; l++) f(4 * q + l, (float)four.v[l]);
    }
}
// The same, but replaces each element by the result of `f`.
template <class T, class F> __device__ __forceinline__ void transform_row(const T* x, T* to, i64 n, F f) {
    if (n % 4) {
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) to[i] = f(i, (float)x[i]);
        return;
    }
    for (i64 q = threadIdx.x; q < n / 4; q += blockDim.x) {
        Vec4<T> four = ((const Vec4<T>*)x)[q];
        for (int l = 0; l < 4; l++) four.v[l] = f(4 * q + l, (float)four.v[l]);
        ((Vec4<T>*)to)[q] = four;
    }
}

// This thread's elements of a row of n, for several passes: short rows with aligned elements are kept in registers, others are
// read again by each pass.
template <class T> struct Row {
    static constexpr int KEPT = 4;
    const T* x;
    i64 n;
    bool is_kept;
    float kept[KEPT][4];

    __device__ __forceinline__ Row(const T* x, i64 n) : x(x), n(n), is_kept(n % 4 == 0 && n <= 4 * KEPT * (i64)blockDim.x) {
        if (!is_kept) return;
        UNROLLED(k, KEPT) {
            const i64 q = threadIdx.x + k * (i64)blockDim.x;
            if (q >= n / 4) continue;
            const Vec4<T> four = ((const Vec4<T>*)x)[q];
            UNROLLED(l, 4) kept[k][l] = (float)four.v[l];
        }
    }
    // Calls `f(value)`, which may replace a kept value.
    template <class F> __device__ __forceinline__ void for_each(F f) {
        if (!is_kept) return for_each_in_row(x, n, [&](i64, float v) { f(v); });
        UNROLLED(k, KEPT) {
            if (threadIdx.x + k * (i64)blockDim.x >= n / 4) continue;
            UNROLLED(l, 4) f(kept[k][l]);
        }
    }
    // Writes `f(index, value)` for each element.
    template <class F> __device__ __forceinline__ void store(T* to, F f) const {
        if (!is_kept) return transform_row(x, to, n, f);
        UNROLLED(k, KEPT) {
            const i64 q = threadIdx.x + k * (i64)blockDim.x;
            if (q >= n / 4) continue;
            Vec4<T> four;
            UNROLLED(l, 4) four.v[l] = f(4 * q + l, kept[k][l]);
            ((Vec4<T>*)to)[q] = four;
        }
    }
};
