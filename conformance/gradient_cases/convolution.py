"""Convolutions, pools and image processing."""
import numpy as np
import torch
from torch.nn import functional as F

from .table import Weight, case, constant, distinct, uniform


def conv(function, against, x, w, bias, stride, pad, dilation=1, group=1, **attributes):
    n = x.ndim - 2
    case("Conv", against, lambda t: function(t.input, t.filter, t.bias, stride, pad, dilation, group), {"input": x, "filter": w, "bias": bias},
         kernel_shape=list(w.shape[2:]), strides=[stride] * n, pads=[pad] * 2 * n, dilations=[dilation] * n, group=group, **attributes)


conv(F.conv2d, "conv2d", uniform(2, 3, 9, 8), uniform(4, 3, 3, 3), uniform(4), 2, 1)
conv(F.conv2d, "", uniform(2, 4, 9, 8), uniform(6, 2, 3, 2), uniform(6), 1, 2, 2, 2)
conv(F.conv1d, "conv1d", uniform(2, 4, 11), uniform(4, 1, 3), uniform(4), 2, 1, 1, 4)
conv(F.conv3d, "conv3d", uniform(2, 3, 5, 6, 7), uniform(4, 3, 2, 3, 3), uniform(4), 2, 1)
case("Conv", "", lambda t: F.relu6(F.conv2d(t.input, t.filter, None, padding=1)), {"input": 3 * uniform(1, 3, 6, 6), "filter": uniform(4, 3, 3, 3)},
     kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, do_relu=True, relu_limit=6.0)


def deconv(function, against, x, w, bias, stride, pad, more=0, group=1):
    n = x.ndim - 2
    case("Deconv", against, lambda t: function(t.input, t.filter, t.bias, stride, pad, more, group), {"input": x, "filter": w, "bias": bias},
         kernel_shape=list(w.shape[2:]), strides=[stride] * n, pads=[pad] * 2 * n, output_padding=[more] * n, group=group)


deconv(F.conv_transpose2d, "conv_transpose2d", uniform(2, 3, 5, 6), uniform(3, 4, 3, 3), uniform(4), 2, 1, 1)
# A coefficient is [group, oc, ic] instead of [group, ic, oc].
case("Deconv", "", lambda t: F.conv_transpose2d(t.input, t.filter.reshape(2, 3, 2, 3, 3).transpose(1, 2).reshape(4, 3, 3, 3), t.bias, groups=2),
     {"input": uniform(2, 4, 5, 6), "filter": uniform(3, 4, 3, 3).view(Weight), "bias": uniform(6)},
     kernel_shape=[3, 3], strides=[1, 1], pads=[0] * 4, group=2)
deconv(F.conv_transpose1d, "conv_transpose1d", uniform(2, 3, 7), uniform(3, 4, 3), uniform(4), 2, 1)
deconv(F.conv_transpose3d, "conv_transpose3d", uniform(1, 2, 3, 4, 5), uniform(2, 3, 2, 3, 3), uniform(3), 2, 1)


def deformed(t):
    """As torchvision.ops.deform_conv2d, for 1 group and a kernel of 3 x 3 with stride 1 and pad 1."""
    n, c, h, w = t.input.shape
    groups = t.offset.shape[1] // 18
    ys, xs = torch.meshgrid(torch.arange(h, dtype=torch.float64), torch.arange(w, dtype=torch.float64), indexing="ij")
    images = []
    for i in range(n):
        columns = []
        for g in range(groups):
            plane = t.input[i, g * (c // groups):(g + 1) * (c // groups)]
            for tap in range(9):
                at = (g * 9 + tap) * 2
                y, x = ys + tap // 3 - 1 + t.offset[i, at], xs + tap % 3 - 1 + t.offset[i, at + 1]
                grid = torch.stack([(2 * x + 1) / w - 1, (2 * y + 1) / h - 1], -1)[None]
                values = F.grid_sample(plane[None], grid, padding_mode="zeros", align_corners=False)[0]
                columns.append(values * t.mask[i, g * 9 + tap] if hasattr(t, "mask") else values)
        columns = torch.stack(columns).view(groups, 9, c // groups, h, w).transpose(1, 2).reshape(c, 9, h, w)
        images.append(torch.einsum("oct,cthw->ohw", t.filter.view(-1, c, 9), columns))
    return torch.stack(images) + t.bias.view(1, -1, 1, 1)


for groups, mask in (1, False), (2, True):
    operands = {"input": uniform(2, 4, 5, 6), "filter": uniform(3, 4, 3, 3), "offset": uniform(2, 18 * groups, 5, 6, low=-2, high=2), "bias": uniform(3)}
    if mask:
        operands["mask"] = uniform(2, 9 * groups, 5, 6)
    case("DeformConv2D", "grid_sample, einsum (as torchvision's deform_conv2d)" if not mask else "", deformed, operands,
         kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, deform_group=groups, use_mask=mask)

case("MaxPool", "max_pool2d", lambda t: F.max_pool2d(t.input, 3, 2, 1), {"input": distinct(2, 3, 7, 8)}, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
case("MaxPool", "max_pool1d", lambda t: F.max_pool1d(t.input, 3, 2, 1), {"input": distinct(2, 3, 9)}, kernel_shape=[3], strides=[2], pads=[1, 1])
case("MaxPool", "max_pool3d", lambda t: F.max_pool3d(t.input, 2, 2), {"input": distinct(1, 2, 4, 6, 6)}, kernel_shape=[2] * 3, strides=[2] * 3, pads=[0] * 6)
case("MaxPool", "", lambda t: F.max_pool2d(t.input, 2, 1), {"input": np.round(uniform(1, 2, 5, 5, low=0, high=3))}, kernel_shape=[2, 2], strides=[1, 1], pads=[0] * 4)
case("MaxPoolWithMask", "max_pool2d", lambda t: [F.max_pool2d(t.input, 2, 2), None], {"input": distinct(2, 3, 6, 8)},
     kernel_shape=[2, 2], strides=[2, 2], pads=[0] * 4, out_dtype=["float32", "int32"])
case("AvgPool", "avg_pool2d", lambda t: F.avg_pool2d(t.input, 3, 2, 1), {"input": uniform(2, 3, 7, 8)},
     kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4, count_include_pad=True)
case("AvgPool", "", lambda t: F.avg_pool2d(t.input, 3, 2, 1, count_include_pad=False), {"input": uniform(2, 3, 7, 8)},
     kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
case("AvgPool", "avg_pool3d", lambda t: F.avg_pool3d(t.input, 2, 2), {"input": uniform(1, 2, 4, 6, 6)}, kernel_shape=[2] * 3, strides=[2] * 3, pads=[0] * 6)
case("AdaptiveAvgPool", "adaptive_avg_pool2d", lambda t: F.adaptive_avg_pool2d(t.input, (3, 4)), {"input": uniform(2, 3, 7, 9)}, output_size=[3, 4])


def places(shape, window):
    """The place of each element in a plane of results, one in each window, as an index."""
    n, c, h, w = shape
    rows = np.arange(h)[:, None] * window + np.random.default_rng(1).integers(0, window, (n, c, h, w))
    columns = np.arange(w) * window + np.random.default_rng(2).integers(0, window, (n, c, h, w))
    return (rows * w * window + columns).astype(np.int32)


unpooled = places((2, 3, 3, 4), 2)
case("MaxUnpool", "max_unpool2d", lambda t: F.max_unpool2d(t.input, torch.from_numpy(unpooled).long(), 2),
     {"input": uniform(2, 3, 3, 4), "mask": constant(unpooled.astype(np.float32))}, scale_h=2, scale_w=2)
case("MaxPoolingIndicesBwd", "max_unpool2d", lambda t: F.max_unpool2d(t.grad_output, torch.from_numpy(unpooled).long(), 2),
     {"grad_output": uniform(2, 3, 3, 4), "indices": constant(unpooled)},
     kernel_shape=[2, 2], strides=[2, 2], pads=[0] * 4, dilations=[1, 1], input_shape=[2, 3, 6, 8])


def coefficients(t):
    windows = t.input.unfold(0, 3, 1).unfold(1, 2, 1)
    windows, template = windows - windows.mean((2, 3), True), t.match - t.match.mean()
    return (windows * template).sum((2, 3)) / (windows.square().sum((2, 3)) * template.square().sum()).sqrt()


for mode, against, function in (
    ("TM_SQDIFF", "unfold, sub, sum", lambda t: (t.input.unfold(0, 3, 1).unfold(1, 2, 1) - t.match).square().sum((2, 3))),
    ("TM_CCOEFF_NORMED", "", coefficients),
):
    case("MatchTemplate", against, function, {"input": uniform(7, 8), "match": uniform(3, 2)}, mode=mode)
std = [0.5, 2.0, 4.0]
case("MeanStdScale", "sub, div", lambda t: (t.input - 0.5) / torch.tensor(std, dtype=torch.float64).view(1, 3, 1, 1), {"input": uniform(1, 3, 4, 5)},
     channel_order="nchw", customization_format="RGB", mean=[0.5] * 3, std=std, scale=[1.0, 1.0], zero_points=[0.0, 0.0],
     quant_mode="MultiplierShift", resize_dims=[4, 5], rounding_mode="HalfUp", out_dtype="float32")
