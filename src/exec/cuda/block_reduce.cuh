// Block-wide reductions. All threads of the block must take part, and all get the result.
template <class T> struct Plus {
    static __device__ T of(T x, T y) { return x + y; }
};
template <class T> struct Times {
    static __device__ T of(T x, T y) { return x * y; }
};
// Propagates NaN.
template <class T> struct Larger {
    static __device__ T of(T x, T y) { return y > x || y != y ? y : x; }
};
template <class T> struct Smaller {
    static __device__ T of(T x, T y) { return y < x || y != y ? y : x; }
};

template <template <class> class F, class T> __device__ T in_warp(T value) {
    for (int step = 16; step; step >>= 1) value = F<T>::of(value, __shfl_xor_sync(0xffffffffu, value, step));
    return value;
}
template <template <class> class F, class T> __device__ T in_block(T value, T nothing) {
    __shared__ T found[32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    value = in_warp<F>(value);
    __syncthreads();
    if (lane == 0) found[warp] = value;
    __syncthreads();
    return in_warp<F>(lane < warps ? found[lane] : nothing);
}

// Calls `f` with the index and the value of each of this thread's elements of a row of n, read four at a time if rows are aligned.
template <class T, class F> __device__ __forceinline__ void for_row(const T* x, i64 n, F f) {
    if (n % 4) {
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) f(i, (float)x[i]);
        return;
    }
    for (i64 q = threadIdx.x; q < n / 4; q += blockDim.x) {
        const Four<T> four = ((const Four<T>*)x)[q];
        for (int l = 0; l < 4; l++) f(4 * q + l, (float)four.of[l]);
    }
}
// The same; each element is replaced by the result of `f`.
template <class T, class F> __device__ __forceinline__ void change_row(const T* x, T* to, i64 n, F f) {
    if (n % 4) {
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) to[i] = f(i, (float)x[i]);
        return;
    }
    for (i64 q = threadIdx.x; q < n / 4; q += blockDim.x) {
        Four<T> four = ((const Four<T>*)x)[q];
        for (int l = 0; l < 4; l++) four.of[l] = f(4 * q + l, (float)four.of[l]);
        ((Four<T>*)to)[q] = four;
    }
}
