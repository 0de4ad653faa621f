// Where windows stand, of three axes; fewer have ones in front: sizes of the plane, of the positions and of the kernel, strides,
// dilations, and the padding before.
struct Windows {
    i64 plane[3], positions[3], kernel[3], stride[3], dilation[3], pad[3];
};
