import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal, NoReturn, SupportsIndex, TypeVar, final, overload

from numpy.typing import NDArray
from typing_extensions import Buffer, Self, TypeAlias

from tpulang import optimizers as optimizers, testing as testing
from tpulang._functions import (
    DTypeLike,
    GraphFunctions,
    QuantizationLike,
    ScalarLike,
    SupportsArrayInterface,
    SupportsDLPack,
    TensorFunctions,
    TensorLike,
    a16matmul as a16matmul,
    abs as abs,
    add as add,
    add_shift as add_shift,
    and_op as and_op,
    ands as ands,
    arccos as arccos,
    arctanh as arctanh,
    arg as arg,
    argsort as argsort,
    avgpool2d as avgpool2d,
    avgpool3d as avgpool3d,
    batch_norm as batch_norm,
    broadcast as broadcast,
    cast as cast,
    ceil as ceil,
    clamp as clamp,
    concat as concat,
    cond_select as cond_select,
    conv as conv,
    conv3d as conv3d,
    conv3d_int as conv3d_int,
    conv3d_quant as conv3d_quant,
    conv3d_v2 as conv3d_v2,
    conv_int as conv_int,
    conv_quant as conv_quant,
    conv_v2 as conv_v2,
    copy as copy,
    cos as cos,
    cosh as cosh,
    cumsum as cumsum,
    custom as custom,
    deconv as deconv,
    deconv3d as deconv3d,
    deconv_int as deconv_int,
    deconv_v2 as deconv_v2,
    deformable_attention as deformable_attention,
    dequant_int as dequant_int,
    dequant_int_to_fp as dequant_int_to_fp,
    div as div,
    elu as elu,
    eq as eq,
    eqs as eqs,
    erf as erf,
    exp as exp,
    extract as extract,
    floor as floor,
    fp8matmul as fp8matmul,
    gather_elements as gather_elements,
    ge as ge,
    gelu as gelu,
    ges as ges,
    group_norm as group_norm,
    gt as gt,
    gts as gts,
    hsigmoid as hsigmoid,
    hswish as hswish,
    index_select as index_select,
    interpolate as interpolate,
    interpolate_v2 as interpolate_v2,
    layer_norm as layer_norm,
    le as le,
    leaky_relu as leaky_relu,
    les as les,
    ln as ln,
    log_sigmoid as log_sigmoid,
    lt as lt,
    lts as lts,
    lut as lut,
    matmul as matmul,
    matmul_int as matmul_int,
    matmul_quant as matmul_quant,
    matmulrq_int_op as matmulrq_int_op,
    max as max,
    maxpool2d as maxpool2d,
    maxpool2d_with_mask as maxpool2d_with_mask,
    maxpool3d as maxpool3d,
    mean_std_scale as mean_std_scale,
    merger_matmul as merger_matmul,
    min as min,
    mish as mish,
    mul as mul,
    mul_shift as mul_shift,
    multi_scale_deformable_attention as multi_scale_deformable_attention,
    ne as ne,
    nes as nes,
    nms as nms,
    nonzero as nonzero,
    normalize as normalize,
    not_op as not_op,
    or_op as or_op,
    ors as ors,
    pad as pad,
    permute as permute,
    pow as pow,
    prelu as prelu,
    qwen2_block as qwen2_block,
    qwen2_block_cache as qwen2_block_cache,
    reduce as reduce,
    relu as relu,
    repeat as repeat,
    requant_fp as requant_fp,
    requant_fp_to_int as requant_fp_to_int,
    requant_int as requant_int,
    reshape as reshape,
    rms_norm as rms_norm,
    roiExtractor as roiExtractor,
    roll as roll,
    rope as rope,
    rot_pos_emb as rot_pos_emb,
    round as round,
    rsqrt as rsqrt,
    scatter as scatter,
    scatterND as scatterND,
    select as select,
    shape_fetch as shape_fetch,
    sigmoid as sigmoid,
    sign as sign,
    silu as silu,
    sin as sin,
    sinh as sinh,
    slice as slice,
    softmax as softmax,
    softmax_int as softmax_int,
    sort as sort,
    sort_by_key as sort_by_key,
    split as split,
    sqrt as sqrt,
    square as square,
    squeeze as squeeze,
    sub as sub,
    sub_shift as sub_shift,
    swish as swish,
    tan as tan,
    tanh as tanh,
    tile as tile,
    topk as topk,
    unsqueeze as unsqueeze,
    upsample as upsample,
    xor_op as xor_op,
    xors as xors,
    yuv2rgb as yuv2rgb,
)

_T = TypeVar("_T")
_Path: TypeAlias = str | PathLike[str]
_Shape: TypeAlias = int | Sequence[int] | SupportsArrayInterface
_Scale: TypeAlias = float | Sequence[float] | SupportsArrayInterface
_ZeroPoint: TypeAlias = int | Sequence[int] | SupportsArrayInterface
_Tensors: TypeAlias = Tensor | Sequence[Tensor]
_Index: TypeAlias = SupportsIndex | builtins.slice | builtins.ellipsis | None
_Operand: TypeAlias = TensorLike | ScalarLike
_Writable: TypeAlias = SupportsDLPack | SupportsArrayInterface
_Array: TypeAlias = _Writable | Buffer
_List1: TypeAlias = Sequence[float]
_List2: TypeAlias = Sequence[_List1]
_List3: TypeAlias = Sequence[_List2]
_List4: TypeAlias = Sequence[_List3]
_ArrayOrList: TypeAlias = _Array | float | _List1 | _List2 | _List3 | _List4 | Sequence[_List4]
# Names are strings or tensors. A union of mappings would keep type checkers from inferring the values of a dict.
_ByName: TypeAlias = Mapping[Any, _T]
_Feeds: TypeAlias = _ByName[_ArrayOrList] | Sequence[_ArrayOrList] | _Array
_Precision: TypeAlias = Literal["float32", "float16"]
_Rule: TypeAlias = Callable[
    [Operator, list[Tensor | None]],
    Literal["default", "stop", "straight_through"] | Sequence[Tensor | None] | None,
]
_LogLevel: TypeAlias = Literal["normal", "simple", "only-layer-group", "quiet"]
_AddrMode: TypeAlias = Literal["auto", "io_reloc"]
_DumpMode: TypeAlias = Literal["normal", "dump"]
_FloatMode: TypeAlias = Literal["f32", "f16", "bf16", "all"]

__version__: str
FUNCTIONS: list[str]
__all__: list[str]

class _TensorShape(tuple[int, ...]):
    """A tuple that also compares with lists and is joined with them."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __add__(self, other: Iterable[int], /) -> _TensorShape: ...  # type: ignore[override]
    def __radd__(self, other: Iterable[int], /) -> _TensorShape: ...
    @overload
    def __getitem__(self, index: SupportsIndex, /) -> int: ...
    @overload
    def __getitem__(self, index: builtins.slice, /) -> _TensorShape: ...

class Tensor(TensorFunctions):
    """A tensor: an input, a coefficient, or a result of a function."""

    def __new__(
        cls,
        shape: _Shape | None = None,
        name: str | None = None,
        ttype: Literal["neuron", "coeff"] = "neuron",
        data: _Array | None = None,
        dtype: DTypeLike | None = None,
        scale: _Scale | None = None,
        zero_point: _ZeroPoint | None = None,
    ) -> Self: ...
    @property
    def id(self) -> int:
        """A number that no other tensor of the process has."""
    @property
    def name(self) -> str:
        """The name, unique in its graph, with the prefixes of its scopes. Setting it renames the tensor, whatever the current scope."""
    @name.setter
    def name(self, name: str) -> None: ...
    @property
    def shape(self) -> _TensorShape:
        """The dimensions: a tuple that equals a list of the same numbers."""
    @property
    def ndim(self) -> int:
        """Number of dimensions."""
    @property
    def dtype(self) -> str:
        """The dtype: "float32"."""
    @property
    def ttype(self) -> Literal["neuron", "coeff"]:
        """ "coeff" for a coefficient, otherwise "neuron"."""
    @property
    def buffer(self) -> NDArray[Any] | None:
        """The data that were given, as a read-only array; None if there are none."""
    @buffer.setter
    def buffer(self, data: _Array | None) -> None: ...
    @property
    def is_quantized(self) -> bool:
        """Whether the tensor has a scale or a zero point."""
    @property
    def scale(self) -> float | list[float] | None:
        """The scale, or a list of one per channel; None if it is not set."""
    @property
    def zero_point(self) -> int | list[int] | None:
        """The zero point, or a list of one per channel; None if it is not set."""
    @property
    def is_preprocess(self) -> bool:
        """Whether the input has image preprocessing."""
    @property
    def pixel_format(self) -> str | None:
        """The channels of the preprocessed image: "bgr"."""
    @property
    def channel_format(self) -> str | None:
        """ "nchw" or "nhwc" for a preprocessed image."""
    def quantization(self, scale: _Scale | None = None, zero_point: _ZeroPoint | None = None) -> None:
        """Sets scale and zero point, or checks that they agree with those set before."""
    def preprocess(
        self,
        mean: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        pixel_format: str = "bgr",
        channel_format: str = "nchw",
        resize_dims: Sequence[int] | None = None,
        keep_aspect_ratio: bool = False,
        keep_ratio_mode: str = "letterbox",
        pad_value: int = 0,
        pad_type: str = "center",
    ) -> None:
        """Sets the image preprocessing of an input: `(pixel - mean) * scale` per channel, after resizing and cropping."""
    def reset(self) -> None:
        """Drops the data."""
    def update(self, buffer: _Array, shape: _Shape) -> None:
        """Replaces the data of a tensor that was declared with the constructor."""
    __array_ufunc__: ClassVar[None]
    def __add__(self, other: _Operand, /) -> Tensor: ...
    def __radd__(self, other: _Operand, /) -> Tensor: ...
    def __sub__(self, other: _Operand, /) -> Tensor: ...
    def __rsub__(self, other: _Operand, /) -> Tensor: ...
    def __mul__(self, other: _Operand, /) -> Tensor: ...
    def __rmul__(self, other: _Operand, /) -> Tensor: ...
    def __truediv__(self, other: _Operand, /) -> Tensor: ...
    def __rtruediv__(self, other: _Operand, /) -> Tensor: ...
    def __matmul__(self, other: TensorLike, /) -> Tensor: ...
    def __rmatmul__(self, other: TensorLike, /) -> Tensor: ...
    def __and__(self, other: TensorLike, /) -> Tensor: ...
    def __rand__(self, other: TensorLike, /) -> Tensor: ...
    def __or__(self, other: TensorLike, /) -> Tensor: ...
    def __ror__(self, other: TensorLike, /) -> Tensor: ...
    def __xor__(self, other: TensorLike, /) -> Tensor: ...
    def __rxor__(self, other: TensorLike, /) -> Tensor: ...
    def __pow__(self, exponent: _Operand, modulo: None = None, /) -> Tensor: ...
    def __rpow__(self, base: _Operand, modulo: None = None, /) -> Tensor: ...
    def __neg__(self) -> Tensor: ...
    def __abs__(self) -> Tensor: ...
    def __lt__(self, other: TensorLike | float, /) -> Tensor: ...
    def __le__(self, other: TensorLike | float, /) -> Tensor: ...
    def __gt__(self, other: TensorLike | float, /) -> Tensor: ...
    def __ge__(self, other: TensorLike | float, /) -> Tensor: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __bool__(self) -> NoReturn: ...
    def __float__(self) -> NoReturn: ...
    def __int__(self) -> NoReturn: ...
    def __array__(self, *_args: Any, **_kwargs: Any) -> NoReturn: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Tensor]: ...
    def __contains__(self, value: object, /) -> NoReturn: ...
    def __getitem__(self, index: _Index | tuple[_Index, ...], /) -> Tensor: ...

@final
class Scalar:
    """A number with a dtype, for functions that take a tensor or a number."""

    def __new__(cls, value: float, dtype: DTypeLike | None = None) -> Self: ...
    @property
    def value(self) -> float:
        """The number."""
    @value.setter
    def value(self, value: float) -> None: ...
    @property
    def dtype(self) -> str:
        """The dtype: "float32"."""

@final
class Operator:
    """An operator of a graph."""

    @property
    def op_name(self) -> str:
        """The op: "top.Conv"."""
    @property
    def function(self) -> str | None:
        """The function that added it: "conv"; None for an operator that was read from a module."""
    @property
    def inputs(self) -> list[str]:
        """The names of its operands."""
    @property
    def outputs(self) -> list[str]:
        """The names of its results."""
    @property
    def attributes(self) -> list[tuple[str, str]]:
        """Its attributes as text, by name."""
    @property
    def type_text(self) -> str:
        """Shape and dtype of its first result: "1x4x8x8 float32"."""

class Graph(GraphFunctions):
    """A network under construction: tensors, and the operators that compute them."""

    def __new__(cls, name: str = "main") -> Self: ...
    @staticmethod
    def from_spec(
        spec: _Path | dict[str, Any],
        folder: _Path | None = None,
        *,
        params: dict[str, int | float | bool | str] | None = None,
    ) -> Graph:
        """Reads a network from a spec: a path that ends in `.json`, the text of a spec, or a dict."""
    @staticmethod
    def from_mlir(module: _Path, weights: _Path | None = None) -> Graph:
        """Reads a network from a Top dialect module: a path, or the text of a module without weights."""
    @staticmethod
    def from_onnx(
        model: _Path | bytes,
        *,
        dimensions: dict[str, int] | None = None,
        shapes: dict[str, Sequence[int]] | None = None,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
        data_anywhere: bool = False,
    ) -> Graph:
        """Reads a network from an ONNX model: a path, or the bytes of a model."""
    @property
    def name(self) -> str:
        """The name of the model."""
    @property
    def mode(self) -> Literal["f32", "quantized"]:
        """ "f32", or "quantized" for a module that is quantized already."""
    @mode.setter
    def mode(self, mode: Literal["f32", "quantized"]) -> None: ...
    @property
    def inputs(self) -> list[Tensor]:
        """The inputs, in order."""
    @property
    def outputs(self) -> list[Tensor]:
        """The outputs, in order. Set them to a list of tensors that the network computes."""
    @outputs.setter
    def outputs(self, outputs: _Tensors) -> None: ...
    @property
    def tensors(self) -> list[Tensor]:
        """All tensors, in order of creation."""
    @property
    def operators(self) -> list[Operator]:
        """The operators in order, without those in the blocks of others."""
    @property
    def parameters(self) -> int:
        """Total number of elements of all coefficients."""
    @property
    def updates(self) -> list[tuple[Tensor, Tensor]]:
        """The variables, each with its next value."""
    def input(
        self,
        name: str,
        shape: _Shape,
        dtype: DTypeLike | None = None,
        *,
        scale: _Scale | None = None,
        zero_point: _ZeroPoint | None = None,
    ) -> Tensor:
        """Adds an input."""
    def coefficient(
        self,
        name: str,
        data: _ArrayOrList | None = None,
        *,
        shape: _Shape | None = None,
        dtype: DTypeLike | None = None,
        scale: _Scale | None = None,
        zero_point: _ZeroPoint | None = None,
    ) -> Tensor:
        """Adds a coefficient: a constant, such as a weight."""
    def set_data(self, tensor: Tensor, data: _ArrayOrList) -> None:
        """Sets or replaces the data of a coefficient."""
    def find(self, name: str) -> Tensor:
        """Returns the tensor of this name."""
    def __getitem__(self, name: str, /) -> Tensor: ...
    def scope(self, name: str) -> AbstractContextManager[None]:
        """Returns a context in which the names of new tensors get the prefix `name/`."""
    def splice(self, name: str, body: Graph, arguments: Sequence[Tensor]) -> list[Tensor]:
        """Makes the calls of another graph again in this one, with these tensors in place of its inputs."""
    def op(
        self,
        name: str,
        args: dict[str, Any],
        *,
        out_name: str | Sequence[str] | None = None,
        out_dtype: DTypeLike | list[DTypeLike | None] | None = None,
        out_shape: Sequence[int] | list[Sequence[int] | None] | None = None,
        out_quant: QuantizationLike | None = None,
    ) -> Any:
        """Adds an operator of the Top dialect, and returns its result, or a tuple of them."""
    def clone(self) -> Graph:
        """Returns a copy. Its tensors are found by name."""
    def finish(self, name: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> Graph:
        """Returns a copy with these inputs and outputs, as `compile` needs it."""
    def reset(self) -> None:
        """Drops the data that inputs were declared with, as TpuLang's method does."""
    def check(self) -> list[str]:
        """Checks the network as a whole. Returns its warnings."""
    def allow(self, *codes: str) -> None:
        """Leaves out warnings about this network that have one of these codes: `graph.allow("unused-input")`."""
    def to_mlir(self) -> str:
        """The network as the text of a Top dialect module."""
    def write_mlir(self, folder: _Path = ".", weights: str | None = None) -> tuple[Path, Path]:
        """Writes `NAME_origin.mlir` and its weights into a folder. Returns the two paths."""
    def to_spec(self) -> str:
        """The network as a spec (JSON), with the data of coefficients in it."""
    def save(self, path: _Path) -> None:
        """Writes the network as a spec to a path that ends in `.json`, and its coefficients to an `.npz` beside it."""
    def run(
        self,
        feeds: _Feeds | None = None,
        *,
        all: bool = False,
        device: str = "cpu",
        threads: int = 0,
        strict: bool = False,
        unfused: bool = False,
        precision: _Precision = "float32",
        on_cpu: Sequence[str] = ...,
        max_iterations: int | None = None,
        fed: Sequence[str | Tensor] = ...,
        fetched: Sequence[str | Tensor] = ...,
        weight_budget: int | None = None,
        check_finite: bool = True,
    ) -> dict[str, NDArray[Any]]:
        """Runs the network once. For several runs, make a `Session`."""
    def gradients(self, of: _Tensors, with_respect_to: _Tensors, rule: _Rule | None = None) -> list[Tensor]:
        """Adds the operators that compute the gradients of the sum of all elements of `of`."""
    def assign(self, variable: Tensor, next: Tensor) -> None:
        """Makes a coefficient a variable: after each run, its value is replaced by that of `next`."""
    def minimize(self, loss: Tensor, variables: _Tensors, optimizer: optimizers.Optimizer) -> list[Tensor]:
        """Adds a training step: every run moves the variables against the gradient of `loss`."""
    def cond(
        self, condition: Tensor, then: Callable[[], _Tensors], otherwise: Callable[[], _Tensors]
    ) -> list[Tensor]:
        """Adds an operator that runs one of two branches: `then` if the single number `condition` is not 0."""
    @overload
    def while_loop(
        self, initial: Tensor, condition: Callable[[Tensor], Tensor], body: Callable[[Tensor], _Tensors]
    ) -> list[Tensor]:
        """Adds a loop that carries tensors as long as `condition(*carried)` returns a number that is not 0."""
    @overload
    def while_loop(
        self, initial: Sequence[Tensor], condition: Callable[..., Tensor], body: Callable[..., _Tensors]
    ) -> list[Tensor]: ...
    @overload
    def for_loop(self, count: int, initial: Tensor, body: Callable[[Tensor, Tensor], _Tensors]) -> list[Tensor]:
        """Adds a loop of `count` iterations that carries tensors: `body(iteration, *carried)` returns the next ones."""
    @overload
    def for_loop(self, count: int, initial: Sequence[Tensor], body: Callable[..., _Tensors]) -> list[Tensor]: ...
    @overload
    def scan(
        self, count: int, initial: Tensor, body: Callable[[Tensor, Tensor], tuple[_Tensors, _Tensors]]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Like `for_loop`, for a body that returns a pair: the next carried tensors, and tensors to be stacked."""
    @overload
    def scan(
        self, count: int, initial: Sequence[Tensor], body: Callable[..., tuple[_Tensors, _Tensors]]
    ) -> tuple[list[Tensor], list[Tensor]]: ...
    def unrolled(self) -> Graph:
        """Returns a copy in which each loop of known trip count is replaced by copies of its body."""
    def show(self, path: _Path) -> None:
        """Shows the network in a file: a page for a browser (`.html`), or a drawing (`.svg`, or `.dot` for Graphviz)."""
    def _repr_html_(self) -> str: ...

class _Profile(list[dict[str, Any]]):
    """Rows, each a dict, that print as a table; notebooks show them as one."""

    def _repr_html_(self) -> str: ...

class Session:
    """A graph prepared for a device. It runs any number of times, also from several threads at once."""

    def __new__(
        cls,
        graph: Graph,
        device: str = "cpu",
        *,
        threads: int = 0,
        all: bool = False,
        strict: bool = False,
        unfused: bool = False,
        precision: _Precision = "float32",
        on_cpu: Sequence[str] | None = None,
        max_iterations: int | None = None,
        fed: Sequence[str | Tensor] | None = None,
        fetched: Sequence[str | Tensor] | None = None,
        weight_budget: int | None = None,
        check_finite: bool = True,
    ) -> Self: ...
    @property
    def inputs(self) -> list[ValueInfo]:
        """The names and types of what runs are fed, in order: the inputs, or `fed`."""
    @property
    def outputs(self) -> list[ValueInfo]:
        """The names and types of what runs return, in order: the outputs, or `fetched`."""
    @property
    def variables(self) -> dict[str, NDArray[Any]]:
        """The current values of the variables, by name."""
    @property
    def summary(self) -> str:
        """Operators per device, with those that fall back to the CPU."""
    @property
    def peak_bytes(self) -> int:
        """Peak memory of a run in bytes, without weights and inputs."""
    def run(self, feeds: _Feeds | None = None) -> dict[str, NDArray[Any]]:
        """Runs the graph and replaces its variables. Returns the outputs by name."""
    def fetch(self, feeds: _Feeds, names: str | Sequence[str | Tensor]) -> dict[str, NDArray[Any]]:
        """Returns the tensors of these names, outputs or others, and computes only what they need."""
    def run_into(self, feeds: _Feeds, results: _ByName[_Writable]) -> None:
        """Runs the graph like `run`, and writes results to arrays of the caller's: `results` has them by name. It does not look for NaN."""
    def profile(self, feeds: _Feeds | None = None, runs: int = 10) -> _Profile:
        """Runs the graph `runs` times and returns the time of each step, as a table that notebooks show."""
    def measure(self, feeds: _Feeds | None = None, runs: int = 10) -> tuple[float, float, float]:
        """Runs the graph `runs` times. Returns the shortest, the median and the 95th percentile of the times, in seconds."""
    def set_variable(self, name: str | Tensor, value: _ArrayOrList) -> None:
        """Replaces the value of a variable."""
    def save_variables(self, graph: Graph) -> int:
        """Sets the coefficients of `graph` that have the name of a variable to its current value. Returns their number."""
    def explain(self) -> str:
        """The plan as text: each step, and what the rewrite rules have done."""

@final
class ValueInfo:
    """The name and type of an input or output."""

    @property
    def name(self) -> str:
        """The name."""
    @property
    def dtype(self) -> str:
        """The dtype of the array: "float32" for every float of an output."""
    @property
    def shape(self) -> tuple[int, ...]:
        """The dimensions."""
    @property
    def scale(self) -> float | list[float] | None:
        """The scale, or a list of one per channel; None if it is not quantized."""
    @property
    def zero_point(self) -> int | list[int] | None:
        """The zero point, or a list of one per channel; None if it is not quantized."""

class Error(ValueError, AssertionError):
    """A mistake in a call, a graph or a file. It is also an AssertionError, which TpuLang raises."""

    function: str | None
    call: int | None
    output: str | None
    argument: str | None
    found: Any
    expected: Any
    operands: Sequence[tuple[str, str, str]]
    errors: Sequence[Error]
    file: str | None
    line: int | None
    column: int | None
    path: str | None
    def __init__(self, message: str = "", **details: Any) -> None: ...

class InvalidType(Error, TypeError):
    """A call with an unknown, missing or repeated argument, or with an object of a type that it does not take."""

class FileError(Error, OSError):
    """A file could not be read or written. ``errno``, ``strerror`` and ``filename`` are those of an OSError."""

class DeviceError(Error, RuntimeError):
    """A device, its driver or its compiler is missing or has failed."""

class GraphWarning(UserWarning):
    """A network that is valid, but probably not what was meant."""

    code: str
    function: str | None
    call: int | None
    output: str | None
    file: str | None
    line: int | None
    column: int | None
    path: str | None

class ToolChainError(Error, RuntimeError):
    """A stage of TPU-MLIR's tool chain failed, or the tool chain is missing."""

    stage: str | None
    log: str  # pyright: ignore[reportIncompatibleVariableOverride]

class _Globals(type):
    """Makes the globals attributes of the class `TpuLang`."""

    @property
    def graph(cls) -> Graph | None:
        """The default graph."""
    @graph.setter
    def graph(cls, graph: Graph | None) -> None: ...
    @property
    def chip(cls) -> str | None:
        """The chip of `init`, in lower case."""
    @chip.setter
    def chip(cls, chip: str | None) -> None: ...
    @property
    def device(cls) -> None:
        """Always None, as in TpuLang."""

class TpuLang(metaclass=_Globals):
    """TpuLang's globals: `TpuLang.graph` and `TpuLang.chip`. An instance begins a network, like `init`."""

    def __init__(self, device: str) -> None: ...

def from_onnx(
    model: _Path | bytes,
    *,
    dimensions: dict[str, int] | None = None,
    shapes: dict[str, Sequence[int]] | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    data_anywhere: bool = False,
) -> Graph:
    """Reads a network from an ONNX model: `Graph.from_onnx`."""

def from_torch(
    module: object,
    example: object,
    *,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
) -> Graph:
    """Returns the network of a PyTorch module, which is exported to ONNX in memory."""

def init(device: str, *args: object) -> None:
    """Begins a network for a chip: makes a new default graph, to which TpuLang's functions add operators."""

def deinit() -> None:
    """Ends a network: drops the default graph."""

def get_default_graph() -> Graph | None:
    """Returns the default graph; None before `init` and after `deinit`."""

def reset_default_graph(graph: Graph | None = None) -> None:
    """Makes a new default graph, or makes `graph` the default one."""

def reset_graph(graph: Graph | None = None) -> None:
    """Drop the data that the inputs of the default graph, or of another one, were declared with."""

def compile(
    name: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    cmp: bool = True,
    refs: dict[str, Any] | None = None,
    mode: str = "f32",
    dynamic: bool = False,
    asymmetric: bool = False,
    no_save: bool = False,
    opt: Literal[0, 1, 2] = 2,
    mlir_inference: bool = True,
    bmodel_inference: bool = True,
    log_level: _LogLevel = "normal",
    embed_debug_info: bool = False,
    addr_mode: _AddrMode = "auto",
    gdma_check: bool = False,
    layer_group_config: str = "",
    num_core: int = 1,
    enable_lghash: bool = False,
    lghash_dir: str = "",
    debug_dump_mode: _DumpMode = "normal",
    disable_topo_sort: bool = True,
    enable_affine: bool = False,
) -> None:
    """Compile a quantized network to NAME_int8.bmodel."""

def compile_f32(
    name: str,
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    cmp: bool = True,
    refs: dict[str, Any] | None = None,
    mode: _FloatMode = "f32",
    dynamic: bool = False,
    opt: Literal[0, 1, 2] = 2,
    no_save: bool = False,
    mlir_inference: bool = True,
    bmodel_inference: bool = True,
    top_mlir_inference: bool = True,
    tpu_mlir_inference: bool = True,
    log_level: _LogLevel = "normal",
    embed_debug_info: bool = False,
    addr_mode: _AddrMode = "auto",
    gdma_check: bool = False,
    layer_group_config: str = "",
    spec_op_mode: dict[str, str] | None = None,
    num_core: int = 1,
    enable_lghash: bool = False,
    lghash_dir: str = "",
    debug_dump_mode: _DumpMode = "normal",
    disable_topo_sort: bool = True,
    enable_affine: bool = False,
) -> None:
    """Compile a network of floats to NAME_f32.bmodel, NAME_f16.bmodel or NAME_bf16.bmodel."""

def mlir_compile(
    name: str,
    mlir_path: _Path,
    cmp: bool = False,
    refs: dict[str, Any] | None = None,
    dynamic: bool = False,
    asymmetric: bool = False,
    opt: Literal[0, 1, 2] = 2,
    mlir_inference: bool = False,
    bmodel_inference: bool = False,
    log_level: _LogLevel = "normal",
    embed_debug_info: bool = False,
    addr_mode: _AddrMode = "auto",
    gdma_check: bool = False,
    layer_group_config: str = "",
    enable_lghash: bool = False,
    lghash_dir: str = "",
    disable_topo_sort: bool = True,
    num_core: int = 1,
    enable_affine: bool = False,
) -> None:
    """Compile a quantized network that was written before: a file NAME_origin.mlir."""

def mlir_compile_f32(
    name: str,
    mlir_path: _Path,
    cmp: bool = False,
    refs: dict[str, Any] | None = None,
    mode: _FloatMode = "f32",
    dynamic: bool = False,
    opt: Literal[0, 1, 2] = 2,
    mlir_inference: bool = False,
    bmodel_inference: bool = False,
    top_mlir_inference: bool = False,
    tpu_mlir_inference: bool = False,
    log_level: _LogLevel = "normal",
    embed_debug_info: bool = False,
    addr_mode: _AddrMode = "auto",
    gdma_check: bool = False,
    layer_group_config: str = "",
    spec_op_mode: dict[str, str] | None = None,
    enable_lghash: bool = False,
    lghash_dir: str = "",
    disable_topo_sort: bool = True,
    num_core: int = 1,
    enable_affine: bool = False,
) -> None:
    """Compile a network of floats that was written before: a file NAME_origin.mlir."""

def debug_dump_compile(file_path: _Path) -> None:
    """Compile again what a compile function saved with debug_dump_mode="dump"."""

def bmodel_inference_combine(
    bmodel_file: str,
    final_mlir_fn: str,
    input_data_fn: str | dict[str, Any],
    tensor_loc_file: str,
    reference_data_fn: str | dict[str, Any],
    dump_file: bool = True,
    save_path: str = "",
    out_fixed: bool = False,
    dump_cmd_info: bool = True,
    skip_check: bool = True,
    run_by_op: bool = False,
    desire_op: Sequence[str] = ...,
    is_soc: bool = False,
    using_memory_opt: bool = False,
    enable_soc_log: bool = False,
    soc_tmp_path: str = "/tmp",
    hostname: str | None = None,
    port: int | str | None = None,
    username: str | None = None,
    password: str | None = None,
) -> Any:
    """Run a bmodel operator by operator: the tool chain's function of this name, with its arguments."""
