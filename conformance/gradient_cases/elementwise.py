"""Arithmetic, mathematical functions, activations, selection and reductions."""
import numpy as np
import torch
from torch.nn import functional as F

from .table import case, constant, distinct, integers, positive, uniform

X = (2, 3, 4, 5)


def unary(op, against, reference, operand=None, **attributes):
    case(op, against, lambda t: reference(t.input), {"input": uniform(*X, low=-2, high=2) if operand is None else operand}, **attributes)


unary("Abs", "abs", torch.abs)
unary("Arccos", "acos", torch.acos, uniform(*X, low=-0.9, high=0.9))
unary("Arctanh", "atanh", torch.atanh, uniform(*X, low=-0.9, high=0.9))
unary("Cos", "cos", torch.cos)
unary("Cosh", "cosh", torch.cosh)
unary("Erf", "erf", torch.erf)
unary("Exp", "exp", torch.exp)
unary("Log", "log", torch.log, positive(*X))
unary("LogB", "log2", torch.log2, positive(*X), base=2)
unary("Sin", "sin", torch.sin)
unary("Sinh", "sinh", torch.sinh)
unary("Sqrt", "sqrt", torch.sqrt, positive(*X))
unary("Tan", "tan", torch.tan, uniform(*X))
unary("Tanh", "tanh", torch.tanh)
unary("Rsqrt", "rsqrt", lambda x: torch.rsqrt(x + 1e-5), positive(*X))
unary("Pow", "pow", lambda x: x ** 2.5, positive(*X), exponent=2.5)
unary("Pow", "", lambda x: x ** 3, exponent=3.0)
unary("Pow2", "pow", lambda x: torch.pow(3.0, x), const_val=3.0)
case("Pow3", "pow", lambda t: torch.pow(*t.inputs), {"inputs": [positive(*X), uniform(*X)]})
unary("Reciprocal", "reciprocal", lambda x: 2.5 / x, positive(*X), const_val=2.5)
unary("AddConst", "add", lambda x: torch.relu(x + 0.5), const_val=0.5, do_relu=True)
unary("SubConst", "rsub", lambda x: 0.5 - x, const_val=0.5, is_reverse=True)
unary("MulConst", "mul", lambda x: torch.clamp(x * -3, 0, 4), const_val=-3.0, do_relu=True, relu_limit=4.0)
unary("MaxConst", "clamp_min", lambda x: torch.clamp_min(x, 0.25), const_val=0.25)
unary("MinConst", "clamp_max", lambda x: torch.clamp_max(x, 0.25), const_val=0.25)
case("Clip", "clamp", lambda t: torch.clamp(t.inputs, -0.5, 1.0), {"inputs": uniform(*X, low=-2, high=2)}, min=-0.5, max=1.0)
unary("Cast", "to", lambda x: x, out_dtype="float32")
unary("DtypeCast", "to", lambda x: x, out_dtype="float16")
unary("Copy", "clone", lambda x: x, input_stride=[60, 20, 5, 1], output_stride=[60, 20, 5, 1], shape=list(X))

case("Add", "add", lambda t: torch.relu(t.inputs[0] + t.inputs[1]), {"inputs": [uniform(*X), uniform(1, 3, 1, 5)]}, do_relu=True)
case("Add", "", lambda t: 2 * t.inputs[0] - t.inputs[1] + 0.5 * t.inputs[2], {"inputs": [uniform(3, 4), uniform(4), uniform(3, 1)]}, coeff=[2.0, -1.0, 0.5])
case("Sub", "sub", lambda t: t.inputs[0] - t.inputs[1], {"inputs": [uniform(*X), uniform(4, 1)]})
case("Sub", "", lambda t: t.inputs[1] - t.inputs[0], {"inputs": [uniform(*X), uniform(4, 1)]}, is_reverse=True)
case("Mul", "mul", lambda t: t.inputs[0] * t.inputs[1], {"inputs": [uniform(*X), uniform(3, 1, 1)]})
case("Mul", "", lambda t: t.inputs[0] * t.inputs[1] * t.inputs[2], {"inputs": [uniform(3, 4), uniform(4), uniform(3, 1)]})
case("Div", "div", lambda t: t.inputs[0] / t.inputs[1], {"inputs": [uniform(*X), positive(5)]})
case("Div", "", lambda t: t.inputs[1] / t.inputs[0], {"inputs": [positive(*X), uniform(5)]}, is_reverse=True)
for name, function in ("Mod", torch.remainder), ("Remainder", torch.fmod):
    operands = {"inputs": [uniform(*X, low=0.1, high=5), positive(5)]}
    case(name, function.__name__, lambda t, f=function: f(*t.inputs), operands)
case("Max", "maximum", lambda t: torch.maximum(*t.inputs), {"inputs": [uniform(*X), uniform(4, 5)]})
case("Max", "", lambda t: torch.maximum(*t.inputs), {"inputs": [integers(3, 9).astype(np.float32), integers(3, 9).astype(np.float32)]})
case("Min", "minimum", lambda t: torch.minimum(*t.inputs), {"inputs": [uniform(*X), uniform(4, 5)]})
case("Scale", "mul, add", lambda t: t.input * t.scale.view(1, 3, 1, 1) + t.bias.view(1, 3, 1, 1),
     {"input": uniform(*X), "scale": uniform(3), "bias": uniform(3)})

unary("Elu", "elu", lambda x: F.elu(x, 0.7), alpha=0.7)
for mode in "normal", "tanh":
    approximate = "none" if mode == "normal" else "tanh"
    unary("GELU", "gelu" if mode == "normal" else "", lambda x, a=approximate: F.gelu(x, approximate=a), approx_mode=mode)
unary("GELU", "", lambda x: x * torch.sigmoid(1.702 * x), approx_mode="sigm")
unary("HardSigmoid", "hardsigmoid", F.hardsigmoid, uniform(*X, low=-5, high=5), alpha=1 / 6, beta=0.5)
unary("HardSwish", "hardswish", F.hardswish, uniform(*X, low=-5, high=5))
unary("LeakyRelu", "leaky_relu", lambda x: F.leaky_relu(x, 0.1), alpha=0.1)
unary("Mish", "mish", F.mish)
case("PRelu", "prelu", lambda t: F.prelu(t.input, t.slope), {"input": uniform(*X), "slope": uniform(3)})
kinks = np.array([[-1, 0, 0.5, 1, 6, 7]], dtype=np.float32)
unary("Relu", "relu", torch.relu, kinks)
unary("Relu", "relu6", F.relu6, kinks, relu_limit=6.0)
unary("SiLU", "silu", F.silu)
unary("Swish", "silu", lambda x: x * torch.sigmoid(1.5 * x), beta=1.5)
unary("Sigmoid", "sigmoid", torch.sigmoid)
unary("Sigmoid", "", F.logsigmoid, log=True)
unary("Sigmoid", "", lambda x: 2 * torch.sigmoid(x) - 0.5, scale=2.0, bias=-0.5)
unary("Softmax", "softmax", lambda x: torch.softmax(1.5 * x, 1), axis=1, beta=1.5)
unary("Softmax", "log_softmax", lambda x: torch.log_softmax(x, -1), axis=-1, log=True)
unary("Softplus", "softplus", F.softplus)
unary("Softsign", "softsign", F.softsign)

condition = integers(*X, high=2).astype(np.float32)
chosen = torch.from_numpy(condition) != 0
case("Where", "where", lambda t: torch.where(chosen, t.tbrn, t.fbrn), {"cond": constant(condition), "tbrn": uniform(*X), "fbrn": uniform(3, 1, 5)})
case("Where", "", lambda t: torch.where(chosen, 2.0, t.fbrn), {"cond": constant(condition), "fbrn": uniform(*X)}, x_is_const=True, x_const_val=2.0)
case("MaskedFill", "masked_fill", lambda t: torch.where(chosen, 2.0, t.brn), {"cond": constant(condition), "brn": uniform(*X)}, inversed=True, const_val=2.0)
unary("Trilu", "triu", lambda x: torch.triu(x, 1), upper=1, diagonal=1)
unary("Trilu", "tril", lambda x: torch.tril(x, -1), upper=0, diagonal=-1)

for mode, against, function in (
    ("ReduceSum", "sum", lambda x: x.sum((1, 3))),
    ("ReduceMean", "mean", lambda x: x.mean((1, 3))),
    ("ReduceMax", "amax", lambda x: x.amax((1, 3))),
    ("ReduceMin", "amin", lambda x: x.amin((1, 3))),
    ("ReduceL1", "norm", lambda x: x.abs().sum((1, 3))),
    ("ReduceL2", "", lambda x: torch.linalg.vector_norm(x, dim=(1, 3))),
):
    unary("Reduce", against, function, distinct(*X), axes=[1, 3], keepdims=False, mode=mode)
zeros = uniform(3, 4)
zeros[0, 1] = zeros[1, 0] = zeros[1, 2] = 0
unary("Reduce", "prod", lambda x: x.prod(1), zeros, axes=[1], keepdims=False, mode="ReduceProd")
unary("Variance", "var", lambda x: x.var((2, 3), correction=1), reduce_list=[2, 3], correction=1.0)
unary("CumSum", "cumsum", lambda x: x.cumsum(2), axis=2)
unary("LRN", "local_response_norm", lambda x: F.local_response_norm(x, 3, 0.1, 0.75, 2.0), uniform(2, 7, 4, 5), size=3, alpha=0.1, beta=0.75, bias=2.0)
