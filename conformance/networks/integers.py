"""Quantized functions, as docs/functions.md defines them. Results that are computed with float scales may be off by one; all
others are exact."""
import math

import torch

from .elementwise import BINARY, SMOOTH
from .images import conv, conv_groups, conv_sizes, pool_sizes
from .layout import concat
from .reference import FUNCTIONS, reference
from .sequences import matmul

TYPES = {"int8": torch.int8, "uint8": torch.uint8, "int16": torch.int16, "int32": torch.int32, "float32": torch.float64}
# Functions that are computed with float scales, besides those with an argument `scale` or `scales`.
ROUNDED = {"conv_quant", "matmul_quant", "requant_fp", "requant_fp_to_int", "avgpool2d", "softmax_int"}


def is_off_by_one(op):
    """Returns whether the results of a call may be off by one, because of float arithmetic."""
    return op["op"] in ROUNDED or "scale" in op["args"] or "scales" in op["args"]


def rounded(x):
    """Rounds half away from zero."""
    return torch.sign(x) * torch.floor(x.abs() + 0.5)


def saturated(x, dtype):
    dtype = TYPES.get(dtype, dtype)
    info = torch.iinfo(dtype)
    return x.clamp(info.min, info.max).to(dtype)


def per_axis(value, x, axis=1):
    """Shapes a list, which has a number for each index of an axis, for broadcasting."""
    if not isinstance(value, list):
        return value
    return torch.tensor(value, dtype=torch.float64).reshape([-1 if a == axis % x.dim() else 1 for a in range(x.dim())])


def real(x, scale, zero_point):
    return (x.double() - (zero_point or 0)) * scale


def quantized(x, scale, zero_point, dtype):
    return saturated(rounded(x / scale) + (zero_point or 0), dtype)


def unary_of(f):
    def meaning(input, scale=None, zero_point=(0, 0), **more):
        if scale is None:
            return f(input, **more)
        return quantized(f(real(input, scale[0], zero_point[0]), **more), scale[1], zero_point[1], input.dtype)
    return meaning


def binary_of(f):
    def meaning(tensor_i0, tensor_i1, scale=None, zero_point=(0, 0, 0), out_dtype=None):
        if scale is None:
            return f(tensor_i0, tensor_i1)
        operands = [real(t, s, z) for t, s, z in zip((tensor_i0, tensor_i1), scale, zero_point)]
        return quantized(f(*operands), scale[2], zero_point[2], out_dtype or tensor_i0.dtype)
    return meaning


for _name in list(SMOOTH) + ["swish", "avgpool2d"]:
    FUNCTIONS[_name] = unary_of(FUNCTIONS[_name])
for _name in BINARY:
    FUNCTIONS[_name] = binary_of(FUNCTIONS[_name])


def concat_quantized(inputs, axis=0, dtype=None, scales=None, zero_points=None):
    if scales is None:
        return concat(inputs, axis)
    zeros = zero_points or [0] * len(scales)
    parts = [x if (s, z) == (scales[-1], zeros[-1]) else quantized(real(x, s, z), scales[-1], zeros[-1], dtype)
             for x, s, z in zip(inputs, scales, zeros)]
    return concat(parts, axis)


FUNCTIONS["concat"] = concat_quantized


@reference
def conv_int(input, weight, bias=None, input_zp=0, weight_zp=0, **sizes):
    bias = None if bias is None else bias.double()
    return saturated(conv(input.double() - input_zp, weight.double() - weight_zp, bias, **sizes), "int32")


@reference
def conv_quant(input, weight, bias=None, input_scale=1.0, weight_scale=1.0, output_scale=1.0, input_zp=0, weight_zp=0, output_zp=0,
               out_dtype=None, **sizes):
    sums = conv(input.double() - input_zp, weight.double() - weight_zp, None if bias is None else bias.double(), **sizes)
    return quantized(sums * input_scale * per_axis(weight_scale, sums), output_scale, output_zp, out_dtype or input.dtype)


@reference
def matmul_int(input, right, bias=None, input_zp=0, right_zp=0, right_transpose=False):
    bias = None if bias is None else bias.double()
    return saturated(matmul(input.double() - input_zp, right.double() - right_zp, bias, right_transpose=right_transpose), "int32")


@reference
def matmul_quant(input, right, bias=None, right_transpose=False, input_scale=1.0, right_scale=1.0, output_scale=1.0, input_zp=0, right_zp=0,
                 output_zp=0, out_dtype="int8"):
    sums = matmul(input.double() - input_zp, right.double() - right_zp, None if bias is None else bias.double(), right_transpose=right_transpose)
    return quantized(sums * input_scale * right_scale, output_scale, output_zp, out_dtype)


@reference
def requant_int(tensor_i, mul, shift, offset, requant_mode, out_dtype="int8", rq_axis=1):
    factor = per_axis(mul, tensor_i, rq_axis) * 2.0 ** per_axis(shift, tensor_i, rq_axis)
    return saturated(rounded(tensor_i.double() * factor) + offset, out_dtype)


@reference
def requant_fp(tensor_i, scale, offset, out_dtype):
    return saturated(rounded(tensor_i.double() * per_axis(scale, tensor_i) + per_axis(offset, tensor_i)), out_dtype)


@reference
def requant_fp_to_int(tensor_i, scale, offset, requant_mode, out_dtype):
    return saturated(rounded(tensor_i.double() / scale) + offset, out_dtype)


@reference
def dequant_int_to_fp(tensor_i, scale, offset):
    return real(tensor_i, scale, offset)


@reference
def softmax_int(input, axis, scale, zero_point=(0, 0)):
    return quantized(torch.softmax(real(input, scale[0], zero_point[0]), axis), scale[1], zero_point[1], input.dtype)


@reference
def lut(input, table):
    return table[input.long() % 256]


SHIFTED = {"add_shift": torch.add, "sub_shift": torch.sub, "mul_shift": torch.mul}
for _name, _function in SHIFTED.items():
    FUNCTIONS[_name] = lambda tensor_i0, tensor_i1, shift, out_dtype, f=_function: saturated(
        rounded(f(tensor_i0.double(), torch.as_tensor(tensor_i1).double()) * 2.0 ** shift), out_dtype)


# Steps.


def is_byte(n, t):
    return n.dtype(t) in ("int8", "uint8")


def image(n):
    return n.pick(lambda t: is_byte(n, t) and len(n.shape(t)) == 4)


def zero_for(n, dtype):
    return n.any_quantization(dtype)[1]


def result_scale(n, values):
    """Returns a scale by which these real numbers fill about 8 bits."""
    return max(float("%.2g" % (values.abs().max().item() / n.choice([60, 120, 200]))), 1e-6)


def requantized(n, sums, axis):
    """Requantizes an int32 tensor to 8 bits, per tensor or per channel."""
    largest = max(n.values[sums].abs().max().item(), 1)
    out = n.choice(["int8", "int8", "uint8"])
    channels = n.shape(sums)[axis]
    _, zero = result = n.any_quantization(out)
    if n.chance(0.3):
        scales = [n.choice([60, 127, 200]) / largest for _ in range(channels)] if n.chance(0.5) and axis == 1 else n.choice([60, 127, 200]) / largest
        offset = [float(zero)] * channels if isinstance(scales, list) else float(zero)
        n.call("requant_fp", tensor_i=sums, scale=scales, offset=offset, out_dtype=out, quantization=result)
    else:
        mul = lambda: n.random.randint(1, 255)
        shift = -max(math.ceil(math.log2(largest)), 1)
        several = n.chance(0.4)
        n.call("requant_int", tensor_i=sums, mul=[mul() for _ in range(channels)] if several else mul(),
                   shift=[shift + n.random.randint(-1, 1) for _ in range(channels)] if several else shift, offset=zero, requant_mode=2, out_dtype=out,
                   rq_axis=axis, quantization=result)


def conv_integers(n):
    x = image(n)
    channels = n.shape(x)[1]
    kernel, sizes = conv_sizes(n, x)
    groups, out = conv_groups(n, channels)
    shape = [out, channels // groups] + kernel
    if math.prod(shape) > 20_000:
        groups, out = channels, channels
        shape = [out, 1] + kernel
    dtype = n.choice(["int8", "int8", "int8", "uint8"])
    weight = n.constant(shape, dtype)
    bias = n.maybe(0.5, lambda: n.constant([out], "int32"))
    if n.chance(0.5):
        _, zero = n.quantization(x)
        y = n.call("conv_int", input=x, weight=weight, bias=bias, group=groups, input_zp=zero, weight_zp=n.choice([0, 0, 2]), **sizes)
        requantized(n, y, 1)
        return
    scale, zero = n.quantization(x)
    of_weight = n.choice([0.01, [n.choice([0.01, 0.02, 0.005]) for _ in range(out)]])
    sums = FUNCTIONS["conv_int"](n.values[x], n.values[weight], None if bias is None else n.values[bias], zero, 0, group=groups, **sizes)
    result = result_scale(n, sums.double() * scale * 0.01), zero_for(n, "int8")
    n.call("conv_quant", input=x, weight=weight, bias=bias, group=groups, input_scale=scale, input_zp=zero, weight_scale=of_weight, weight_zp=0,
               output_scale=result[0], output_zp=result[1], out_dtype="int8", **sizes, quantization=result)


def product_of_integers(n):
    x = n.pick(lambda t: is_byte(n, t) and len(n.shape(t)) > 1)
    k, width, transposed = n.shape(x)[-1], n.choice([1, 3, 8, 16, 17, 33]), n.chance(0.4)
    right = n.constant([width, k] if transposed else [k, width], "int8")
    bias = n.maybe(0.5, lambda: n.constant([width], "int32"))
    scale, zero = n.quantization(x)
    if n.chance(0.5):
        y = n.call("matmul_int", input=x, right=right, bias=bias, right_transpose=transposed or None, input_zp=zero, right_zp=0)
        requantized(n, y, len(n.shape(y)) - 1)
        return
    sums = FUNCTIONS["matmul_int"](n.values[x], n.values[right], None if bias is None else n.values[bias], zero, 0, transposed)
    result = result_scale(n, sums.double() * scale * 0.01), zero_for(n, "int8")
    n.call("matmul_quant", input=x, right=right, bias=bias, right_transpose=transposed or None, input_scale=scale, input_zp=zero, right_scale=0.01,
               right_zp=0, output_scale=result[0], output_zp=result[1], out_dtype="int8", quantization=result)


def scaled_binary(n):
    x = n.pick(lambda t: is_byte(n, t))
    shape, dtype = n.shape(x), n.dtype(x)
    if n.chance(0.5):
        y = n.pick(lambda t: n.dtype(t) == dtype and len(n.shape(t)) == len(shape) and all(a == b or 1 in (a, b) for a, b in zip(n.shape(t), shape)))
    else:
        y = n.constant([d if n.chance(0.6) else 1 for d in shape], dtype)
    function = n.choice(["add", "add", "mul", "sub", "max", "min"])
    (a, zero_a), (b, zero_b) = n.quantization(x), n.quantization(y)
    out = "int8" if function == "sub" else dtype
    values = BINARY[function](real(n.values[x], a, zero_a), real(n.values[y], b, zero_b))
    result = result_scale(n, values), zero_for(n, out)
    n.call(function, tensor_i0=x, tensor_i1=y, scale=[a, b, result[0]], zero_point=[zero_a, zero_b, result[1]], out_dtype=out, quantization=result)


def scaled_unary(n):
    x = n.pick(lambda t: is_byte(n, t))
    scale, zero = n.quantization(x)
    function = n.choice(["sigmoid", "tanh", "gelu", "silu", "elu", "mish", "hsigmoid", "hswish", "lut", "softmax_int", "relu"])
    if function == "lut":
        n.call("lut", input=x, table=n.constant([256], n.choice(["int8", "uint8"])))
        return
    if function == "relu":
        if zero == 0:
            n.call("relu", exact=True, input=x)
        return
    result = n.choice([0.0078125, 0.02]), zero_for(n, n.dtype(x))
    axis = n.random.randrange(len(n.shape(x))) if function == "softmax_int" else None
    n.call(function, input=x, axis=axis, scale=[scale, result[0]], zero_point=[zero, result[1]], quantization=result)


def shifted(n):
    x = n.pick(lambda t: is_byte(n, t))
    shape = n.shape(x)
    other = n.choice([n.random.randint(-99, 99), n.constant([d if n.chance(0.6) else 1 for d in shape], n.dtype(x))])
    n.call(n.choice(list(SHIFTED)), tensor_i0=x, tensor_i1=other, shift=n.random.randint(-8, 1), out_dtype="int8")


def pool_of_integers(n):
    x = image(n)
    if n.chance(0.6):
        n.call("maxpool2d", exact=True, input=x, **pool_sizes(n, x))
        return
    scale, zero = n.quantization(x)
    result = scale * n.choice([1, 1, 0.5]), zero
    n.call("avgpool2d", input=x, scale=[scale, result[0]], zero_point=[zero, zero], **pool_sizes(n, x), quantization=result)


def concat_of_scales(n):
    x = n.pick(lambda t: is_byte(n, t))
    shape, dtype = n.shape(x), n.dtype(x)
    axis = n.random.randrange(len(shape))
    rest = lambda s: [d for a, d in enumerate(s) if a != axis]
    parts = [x, n.pick(lambda t: n.dtype(t) == dtype and len(n.shape(t)) == len(shape) and rest(n.shape(t)) == rest(shape))]
    each = [n.quantization(p) for p in parts]
    result = n.choice([each[0], (n.choice([0.5, 0.1, 0.02]), zero_for(n, dtype))])
    scales, zeros = zip(*each, result)
    n.call("concat", inputs=parts, axis=axis, scales=list(scales), zero_points=list(zeros), dtype=dtype, quantization=result)


def to_floats(n):
    x = n.pick(lambda t: is_byte(n, t))
    scale, zero = n.quantization(x)
    n.call("dequant_int_to_fp", tensor_i=x, scale=scale, offset=float(zero))


STEPS = {conv_integers: 6, product_of_integers: 3, scaled_binary: 4, scaled_unary: 3, shifted: 1, pool_of_integers: 2, concat_of_scales: 1, to_floats: 0.3}
