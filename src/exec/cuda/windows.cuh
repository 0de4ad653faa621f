// The geometry of sliding windows over three axes. With fewer axes, leading ones have size 1. `plane` has the sizes of the
// input, `positions` the number of windows along each axis, and `pad` the padding before the first element.
template <class I> struct WindowsOf {
    I plane[3], positions[3], kernel[3], stride[3], dilation[3], pad[3];
};
typedef WindowsOf<i64> Windows;

// Converts to another index type.
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
