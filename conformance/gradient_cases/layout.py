"""Ops that move elements."""
import numpy as np
import torch
from torch.nn import functional as F

from .table import case, constant, uniform

X = (2, 3, 4, 5)


def unary(op, against, reference, operand=None, **attributes):
    case(op, against, lambda t: reference(t.input), {"input": uniform(*X) if operand is None else operand}, **attributes)


def whole(*values):
    return constant(np.array(values, dtype=np.int32))


unary("Reshape", "reshape", lambda x: x.reshape(6, 20), shape=[6, 20])
unary("Flatten", "flatten", lambda x: x.flatten(1, 2), start_dim=1, end_dim=2)
unary("Squeeze", "squeeze", lambda x: x.squeeze(1), uniform(2, 1, 4), axes=[1])
unary("Unsqueeze", "unsqueeze", lambda x: x.unsqueeze(1), axes=[1])
case("View", "view", lambda t: t.input.view(6, 20), {"input": uniform(*X), "shape": whole(6, 20)})
unary("Permute", "permute", lambda x: x.permute(2, 0, 3, 1), order=[2, 0, 3, 1])
unary("Transpose", "transpose", lambda x: x.transpose(1, 3), dim0=1, dim1=3)
unary("Reverse", "flip", lambda x: x.flip(2), axis=2)
unary("Expand", "expand", lambda x: x.expand(2, 3, 4, 5), uniform(3, 1, 5), shape=[2, 3, 4, 5])
unary("Tile", "tile", lambda x: x.tile(1, 2, 1, 3), tile=[1, 2, 1, 3])
case("Repeat", "repeat", lambda t: t.input.repeat(1, 2, 1, 3), {"input": uniform(*X), "repeats": whole(1, 2, 1, 3)})
unary("Upsample", "interpolate", lambda x: F.interpolate(x, scale_factor=(2, 3), mode="nearest"), scale_h=2, scale_w=3)
unary("Slice", "slicing", lambda x: x[:, 1:, 0:4:2, 1:5:3], offset=[0, 1, 0, 1], steps=[1, 1, 2, 3], ends=[2, 3, 4, 5])
unary("Slice", "", lambda x: x.flip(3)[:, :, :, 0:5:2], offset=[4], steps=[-2], ends=[-6], axes=[3])
case("SliceAxis", "narrow", lambda t: t.input.narrow(2, 1, 2),
     {"input": uniform(*X), "axis": whole(2), "start": whole(1), "step": whole(1), "end": whole(3)})
case("StridedSlice", "slicing", lambda t: t.input[0:2, 1:3, 0:4:2, 1:5],
     {"input": uniform(*X), "starts": whole(0, 1, 0, 1), "ends": whole(2, 3, 4, 5), "strides": whole(1, 1, 2, 1)},
     begin_mask=0, ellipsis_mask=0, end_mask=0, new_axis_mask=0, shrink_axis_mask=0)
case("Concat", "cat", lambda t: torch.cat(t.inputs, 2), {"inputs": [uniform(2, 3, 2, 5), uniform(2, 3, 4, 5)]}, axis=2)
case("ConcatSlice", "cat", lambda t: torch.cat([t.in0[:, :, 2:], t.in1], 2), {"in0": uniform(*X), "in1": uniform(2, 3, 2, 5)}, axis=2)
case("List", "cat", lambda t: torch.cat([x.flatten() for x in t.inputs]), {"inputs": [uniform(3), uniform(5)]})
case("Pack", "stack", lambda t: torch.stack(t.inputs, 1), {"inputs": [uniform(2, 3), uniform(2, 3)]}, axis=1, values_count=2)
unary("Unpack", "unbind", lambda x: x.unbind(1), uniform(2, 3, 4), axis=1)
unary("Split", "split", lambda x: x.split([1, 3], 2), axis=2, num=2, split_size=[1, 3])
case("MeshGrid", "meshgrid", lambda t: torch.meshgrid(*t.inputs, indexing="ij"), {"inputs": [uniform(3), uniform(4)]}, is_reverse=False)
for mode in "constant", "reflect", "edge":
    torch_mode = "replicate" if mode == "edge" else mode
    unary("Pad", "pad" if mode == "constant" else "", lambda x, m=torch_mode: F.pad(x, (2, 1, 1, 0), mode=m), mode=mode, paddings=[0, 0, 1, 2, 0, 0, 0, 1])
unary("Pad", "", lambda x: torch.cat([x[:, :, :, :2].flip(3), x, x[:, :, :, 4:].flip(3)], 3), mode="symmetric", paddings=[0, 0, 0, 2, 0, 0, 0, 1])
unary("Depth2Space", "pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), uniform(2, 8, 3, 4), block_h=2, block_w=2, is_CRD=True, is_inversed=False)
unary("Depth2Space", "pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), uniform(2, 2, 4, 6), block_h=2, block_w=2, is_CRD=True, is_inversed=True)
unary("ShuffleChannel", "channel_shuffle", lambda x: x.view(2, 2, 3, 4, 5).transpose(1, 2).reshape(2, 6, 4, 5), uniform(2, 6, 4, 5), group=2)
unary("SwapChannel", "indexing", lambda x: x[:, [2, 0, 1]], channel_order=[2, 0, 1])
unary("SwapDimInner", "roll", lambda x: x.roll(-2, 2), offset=[0, 0, 2, 0])


def moved(right, back):
    return F.pad(right, (back, 0))[..., : right.shape[3]]


def volume(t):
    left, right = t.inputs
    return torch.stack([torch.cat([left, moved(right, d)], 1) for d in range(3)], 2)


def correlation(t):
    left, right = t.inputs
    all = torch.stack([left * moved(right, d) for d in range(3)], 2)
    return all.view(2, 2, 3, 4, 5).mean(1)


case("ConcatVolume", "cat", volume, {"inputs": [uniform(1, 3, 4, 5), uniform(1, 3, 4, 5)]}, max_disp=3)
case("Correlation", "mul, mean", correlation, {"inputs": [uniform(1, 4, 4, 5), uniform(1, 4, 4, 5)]}, max_disp=3, num_groups=2)
for mode, options in (("linear", {"align_corners": False}), ("linear", {"align_corners": True}), ("nearest", {})):
    torch_mode = "bilinear" if mode == "linear" else "nearest"
    coordinates = "align_corners" if options.get("align_corners") else "half_pixel" if mode == "linear" else "asymmetric"
    unary("Interp", "interpolate" if coordinates == "half_pixel" else "", lambda x, m=torch_mode, o=options: F.interpolate(x, (8, 15), mode=m, **o),
          scale_h=2.0, scale_w=3.0, mode=mode, coord_mode=coordinates)
