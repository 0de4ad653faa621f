// The geometry of windows over three axes, padded with ones in front: sizes of the plane, of the positions and of the kernel,
// strides, dilations, and the padding before.
template <class I> struct WindowsOf {
    I plane[3], positions[3], kernel[3], stride[3], dilation[3], pad[3];
};
typedef WindowsOf<i64> Windows;

// Converts the type of indices.
template <class I> __device__ inline WindowsOf<I> windows_as(const Windows& from) {
    WindowsOf<I> to;
    UNROLLED(a, 3) {
        to.plane[a] = (I)from.plane[a];
        to.positions[a] = (I)from.positions[a];
        to.kernel[a] = (I)from.kernel[a];
        to.stride[a] = (I)from.stride[a];
        to.dilation[a] = (I)from.dilation[a];
        to.pad[a] = (I)from.pad[a];
    }
    return to;
}
