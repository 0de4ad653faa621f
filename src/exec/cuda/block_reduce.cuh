// Block-wide reductions. All threads of the block must call them, and all get the result.
template <class T> struct Add {
    static __device__ T of(T x, T y) { return x + y; }
};
template <class T> struct Mul {
    static __device__ T of(T x, T y) { return x * y; }
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
