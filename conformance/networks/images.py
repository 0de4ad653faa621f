"""Functions of images (n x c x h x w): convolutions, pooling and resizing."""
import math

import torch
import torch.nn.functional as F

from .reference import reference

CHANNELS = [1, 2, 3, 5, 8, 16, 16, 17, 24, 32, 33, 48]


@reference
def conv(input, weight, bias=None, stride=(1, 1), dilation=(1, 1), pad=(0, 0, 0, 0), group=1):
    top, left, bottom, right = pad
    input = F.pad(input, (left, right, top, bottom))
    return F.conv2d(input, weight, bias if bias is None else bias.reshape(-1), stride, 0, dilation, group)


@reference
def conv3d(input, weight, bias=None, stride=(1, 1, 1), dilation=(1, 1, 1), pad=(0,) * 6, group=1):
    front, top, left, back, bottom, right = pad
    return F.conv3d(F.pad(input, (left, right, top, bottom, front, back)), weight, bias, stride, 0, dilation, group)


@reference
def deconv(input, weight, bias=None, stride=(1, 1), dilation=(1, 1), pad=(0, 0, 0, 0), output_padding=(0, 0), group=1):
    # The layout of the data is group x (oc / group) x (ic / group) x kh x kw.
    per_group, ic, kh, kw = weight.shape
    weight = weight.reshape(group, per_group, ic // group, kh, kw).transpose(1, 2).reshape(ic, per_group, kh, kw)
    more = [(p + d * (k - 1)) for p, d, k in zip(output_padding, dilation, (kh, kw))]
    whole = F.conv_transpose2d(input, weight, bias, stride, 0, 0, group, dilation)
    whole = F.pad(whole, (0, more[1], 0, more[0]), value=math.nan)
    if bias is not None:
        whole = torch.where(whole.isnan(), bias.reshape(1, -1, 1, 1), whole)
    whole = torch.nan_to_num(whole)
    height = (input.shape[2] - 1) * stride[0] + dilation[0] * (kh - 1) + 1 + output_padding[0] - pad[0] - pad[2]
    width = (input.shape[3] - 1) * stride[1] + dilation[1] * (kw - 1) + 1 + output_padding[1] - pad[1] - pad[3]
    return whole[:, :, pad[0]:pad[0] + height, pad[1]:pad[1] + width]


def windows(x, kernel, stride, pad, ceil_mode, outside):
    """Returns n x c x h' x w' x (kh * kw). As in the tool chain, with ceil_mode a window may start beyond the input, and the padding
    at the end of an axis is assumed to equal that at its start."""
    top, left, bottom, right = pad
    lengths = [x.shape[2 + axis] + 2 * pad[axis] - kernel[axis] for axis in range(2)]
    more = [-length % s if ceil_mode else 0 for length, s in zip(lengths, stride)]
    x = F.pad(x, (left, right + more[1], top, bottom + more[0]), value=outside)
    return x.unfold(2, kernel[0], stride[0]).unfold(3, kernel[1], stride[1]).flatten(4)


@reference
def maxpool2d(input, kernel=None, stride=(1, 1), pad=(0, 0, 0, 0), ceil_mode=False):
    low = -math.inf if input.is_floating_point() else torch.iinfo(input.dtype).min
    return windows(input, kernel or input.shape[2:], stride, pad, ceil_mode, low).amax(-1)


@reference
def avgpool2d(input, kernel=None, stride=(1, 1), pad=(0, 0, 0, 0), ceil_mode=False, count_include_pad=False):
    sizes = kernel or input.shape[2:], stride, pad, ceil_mode
    inside = windows(torch.ones_like(input[:1, :1]), *sizes, 0.0).sum(-1)
    return windows(input, *sizes, 0.0).sum(-1) / (math.prod(sizes[0]) if count_include_pad else inside.clamp(min=1))


@reference
def interpolate(input, scale_h, scale_w, method="nearest", coord_mode="pytorch_half_pixel"):
    for axis, factor in ((-2, scale_h), (-1, scale_w)):
        size = input.shape[axis]
        count = math.floor(size * factor)
        # Like in the tool chain, the nearest entry follows from positions in float32, which matters halfway between two.
        i = torch.arange(count, dtype=torch.float32 if method == "nearest" else torch.float64)
        if coord_mode == "align_corners":
            place = i * (torch.tensor(size - 1, dtype=i.dtype) / max(count - 1, 1))
        elif coord_mode == "asymmetric":
            place = i * (torch.tensor(size, dtype=i.dtype) / count)
        else:
            place = (i + 0.5) * (torch.tensor(size, dtype=i.dtype) / count) - 0.5
        input = resampled(input, axis, place, method, coord_mode)
    return input


def resampled(x, axis, place, method, mode):
    size = x.shape[axis]
    if method == "nearest":
        at = {"asymmetric": torch.floor(place), "align_corners": torch.floor(place + 0.5)}.get(mode, torch.ceil(place - 0.5))
        return x.index_select(axis, at.long().clamp(0, size - 1))
    place = place.clamp(0, size - 1)
    low = place.floor().long()
    high = (low + 1).clamp(max=size - 1)
    view = [-1] + [1] * (-axis - 1)
    share = (place - low).to(x.dtype).view(view)
    return x.index_select(axis, low) * (1 - share) + x.index_select(axis, high) * share


# Steps.


def image(n):
    return n.pick(lambda t: n.is_float(t) and len(n.shape(t)) == 4)


def conv_sizes(n, x):
    """Returns a kernel that fits the input, and the arguments stride, dilation and pad."""
    height, width = n.shape(x)[2:]
    kernel = n.choice([[1, 1], [3, 3], [3, 3], [n.random.randint(1, 5), n.random.randint(1, 5)]])
    dilation = n.choice([[1, 1], [1, 1], [2, 2], [n.random.randint(1, 3), n.random.randint(1, 3)]])
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation)]
    same = [r // 2 for r in reach]
    pad = n.choice([same * 2, same * 2, [0] * 4, [n.random.randint(0, r) for r in reach * 2]])
    if height + pad[0] + pad[2] < reach[0] or width + pad[1] + pad[3] < reach[1]:
        pad = [r - 1 for r in reach] * 2
    stride = n.choice([[1, 1], [1, 1], [2, 2], [n.random.randint(1, 3), n.random.randint(1, 3)]])
    return kernel, {"stride": stride, "dilation": dilation, "pad": pad}


def conv_groups(n, channels):
    """Returns the number of groups and of output channels."""
    out = n.choice(CHANNELS)
    if n.chance(0.25):
        return channels, channels * n.choice([1, 1, 1, 2])
    groups = n.choice([g for g in range(1, channels + 1) if channels % g == 0]) if n.chance(0.3) else 1
    return groups, max(out // groups, 1) * groups


def conv_step(n):
    x = image(n)
    channels = n.shape(x)[1]
    kernel, sizes = conv_sizes(n, x)
    groups, out = conv_groups(n, channels)
    fan = channels // groups * kernel[0] * kernel[1]
    shape = [out, channels // groups] + kernel
    if math.prod(shape) > 20_000:
        groups, out = channels, channels
        shape = [out, 1] + kernel
    weight = n.constant(shape, gain=fan ** -0.5) if n.chance(0.97) else n.input(shape)
    bias = n.maybe(0.6, lambda: n.constant(n.choice([[out], [out], [1, out, 1, 1]])))
    y = n.call("conv", input=x, weight=weight, bias=bias, group=groups, **sizes)
    after_conv(n, y, out)


def after_conv(n, x, channels):
    """Adds what usually follows a convolution."""
    if n.chance(0.3):
        coefficient = lambda: n.constant([channels])
        positive = abs(n.draw([channels], "float32")) + 0.5
        x = n.call("batch_norm", input=x, mean=coefficient(), variance=n.constant([channels], array=positive),
                   gamma=n.maybe(0.8, coefficient), beta=n.maybe(0.8, coefficient))
    if n.chance(0.5):
        kind = n.choice(["relu", "relu6", "silu", "hswish", "leaky_relu"])
        if kind == "relu6":
            n.call("clamp", exact=True, input=x, min=0.0, max=6.0)
        else:
            n.call(kind, input=x)


def residual_block(n):
    """Adds convolutions with a residual connection around them."""
    x = image(n)
    channels = n.shape(x)[1]
    y = x
    for _ in range(n.random.randint(1, 2)):
        groups = n.choice([1, channels])
        weight = n.constant([channels, channels // groups, 3, 3], gain=(9 * channels / groups) ** -0.5)
        y = n.call("conv", input=y, weight=weight, bias=n.maybe(0.6, lambda: n.constant([channels])), pad=[1] * 4, group=groups)
        if n.chance(0.7):
            y = n.call("relu", input=y)
    pair = [x, y] if n.chance(0.3) else [y, x]
    total = n.call("add", tensor_i0=pair[0], tensor_i1=pair[1])
    if n.chance(0.5):
        n.call("relu", input=total)


def squeeze_and_excite(n):
    """Scales each channel, or each pixel, by a computed factor."""
    x = image(n)
    channels = n.shape(x)[1]
    if n.chance(0.5):
        small = n.call("avgpool2d", input=x) if n.chance(0.5) else n.call("reduce", input=x, method="ReduceMean", axes=[2, 3])
        weight = n.constant([channels, channels, 1, 1], gain=channels ** -0.5)
    else:
        small, weight = x, n.constant([1, channels, 1, 1], gain=channels ** -0.5)
    gate = n.call("conv", input=small, weight=weight, bias=n.maybe(0.5, lambda: n.constant(weight_rows(n, weight))))
    gate = n.call(n.choice(["sigmoid", "hsigmoid", "relu"]), input=gate)
    pair = [x, gate] if n.chance(0.6) else [gate, x]
    n.call(n.choice(["mul", "mul", "add", "sub"]), tensor_i0=pair[0], tensor_i1=pair[1])


def weight_rows(n, weight):
    return n.shape(weight)[:1]


def conv3d_step(n):
    x = n.pick(lambda t: n.is_float(t) and len(n.shape(t)) == 5)
    channels, groups = n.shape(x)[1], 1
    if n.chance(0.3):
        groups = channels
    kernel = [n.random.randint(1, 3) for _ in range(3)]
    weight = n.constant([n.choice([1, 2, 3]) * groups, channels // groups] + kernel, gain=0.3)
    n.call("conv3d", input=x, weight=weight, bias=n.maybe(0.5, lambda: n.constant(weight_rows(n, weight))), pad=[k - 1 for k in kernel] * 2, group=groups,
           stride=[n.random.randint(1, 2) for _ in range(3)])


def deconv_step(n):
    x = image(n)
    channels = n.shape(x)[1]
    groups = n.choice([g for g in range(1, channels + 1) if channels % g == 0]) if n.chance(0.4) else 1
    per_group = max(n.choice([1, 2, 3, 8, 17]) // groups, 1)
    kernel, stride, dilation = ([n.random.randint(1, m) for _ in range(2)] for m in (4, 3, 2))
    weight = n.constant([per_group, channels] + kernel, gain=(channels / groups) ** -0.5)
    pad = [n.random.randint(0, dilation[i % 2] * (kernel[i % 2] - 1) // 2) for i in range(4)]
    bias = n.maybe(0.5, lambda: n.constant([per_group * groups]))
    n.call("deconv", input=x, weight=weight, bias=bias, stride=stride, dilation=dilation, pad=pad, group=groups,
           output_padding=n.maybe(0.3, lambda: [n.random.randint(0, s - 1) for s in stride]))


def pool_sizes(n, x):
    height, width = n.shape(x)[2:]
    kernel = [n.random.randint(1, min(3, height)), n.random.randint(1, min(3, width))]
    pad = n.maybe(0.5, lambda: [n.random.randint(0, kernel[i % 2] // 2) for i in range(4)])
    return {"kernel": kernel, "stride": [n.random.randint(1, 3), n.random.randint(1, 3)], "pad": pad, "ceil_mode": n.maybe(0.2, lambda: True)}


def pool(n):
    x = image(n)
    if n.chance(0.5):
        n.call("maxpool2d", exact=True, input=x, **pool_sizes(n, x))
    elif n.chance(0.3):
        n.call("avgpool2d", input=x)
    else:
        n.call("avgpool2d", input=x, count_include_pad=n.maybe(0.5, lambda: True), **pool_sizes(n, x))


def resize(n):
    x = image(n)
    if n.chance(0.4):
        n.call("upsample", exact=True, input=x, scale=n.choice([1, 2, 3]))
        return
    method = n.choice(["nearest", "linear"])
    mode = n.choice(["align_corners", "asymmetric"] if method == "nearest" else ["align_corners", "half_pixel", "asymmetric", None])
    n.call("interpolate", input=x, scale_h=n.choice([0.5, 1.0, 2.0, 1.5]), scale_w=n.choice([0.5, 1.0, 2.0, 3.0]), method=method, coord_mode=mode)


STEPS = {conv_step: 8, residual_block: 2, squeeze_and_excite: 3, conv3d_step: 0.5, deconv_step: 1, pool: 3, resize: 1.5}
