"""Short scripts for tpulang_scripts.py, with the ways of using TpuLang that its manual and its other samples show.

Each takes the module that is TpuLang.
"""
import numpy as np


def data(*shape, dtype="float32"):
    if dtype.startswith("float"):
        return np.random.randn(*shape).astype(dtype)
    return np.random.randint(0, 100, shape).astype(dtype)


def conv(tpul, x, out_channels, in_channels, size, **options):
    """Weights without ttype are constants too if they are not listed as inputs, and a shape may be a number."""
    shape = [out_channels, in_channels, size, size]
    weight = tpul.Tensor(dtype="float32", shape=shape, data=data(*shape))
    bias = tpul.Tensor(dtype="float32", shape=out_channels, data=data(out_channels))
    return tpul.conv(x, weight, bias=bias, dilation=[1, 1], group=1, **options)


def classifier(tpul):
    """The manual's network, with positional arguments and modes by function."""
    tpul.init("BM1684X")
    x = tpul.Tensor(dtype="float32", shape=[1, 1, 28, 28], data=data(1, 1, 28, 28))
    y = tpul.relu(conv(tpul, x, 8, 1, 5, stride=[1, 1], pad=[2, 2, 2, 2]))
    y = tpul.maxpool2d(y, kernel=[2, 2], stride=[2, 2], pad=[0, 0, 0, 0])
    y = tpul.softmax(conv(tpul, y, 10, 8, 14, stride=[1, 1]), axis=1)
    tpul.compile_f32("classifier", [x], [y], True, None, "f16", spec_op_mode={"conv": "F32", "sort": "f32"})
    tpul.deinit()


def several_networks(tpul):
    """Networks that share the default graph and an input, in folders, without init between them."""
    tpul.init("bm1684x")
    x = tpul.Tensor(name="in", shape=[1, 4, 8, 8], data=data(1, 4, 8, 8))
    for i in range(3):
        y = tpul.add(tpul.abs(x), i + 0.5)
        tpul.compile_f32("part%d" % i, [x], [y], refs={y.name: np.abs(x.buffer) + i + 0.5}, log_level="quiet")


def before_init(tpul):
    """Tensors are made before init, and used in two networks."""
    x = tpul.Tensor([2, 3], "x", data=data(2, 3))
    w = tpul.Tensor([3, 4], ttype="coeff", data=data(3, 4))
    for name in ("first", "second"):
        tpul.init("BM1688")
        y = tpul.matmul(x, w, out_name="y")
        assert y.name == "y" and y.ttype == "neuron" and list(x.shape) == [2, 3]
        tpul.compile_f32(name, [x], [y], num_core=2)


def custom_operators(tpul):
    """Operators of the user's own, of which the results' shapes are not known."""
    tpul.init("BM1684X")
    x = tpul.Tensor(name="in", dtype="float32", shape=[4, 3, 14, 14], data=data(4, 3, 14, 14))
    y = tpul.custom(tensors_in=[x], op_name="absadd", params={"b": 1.2}, out_dtypes=["float32"])[0]
    y = tpul.custom(tensors_in=[tpul.relu(y)], op_name="swapchannel", params={"order": [2, 1, 0]}, out_dtypes=["float32"],
                    out_names=["swapped"])
    tpul.compile("custom", [x], y, dynamic=True, mlir_inference=False, bmodel_inference=False)


def two_results(tpul):
    """A custom operator with two results, among others, in float16."""
    tpul.init("BM1684X")
    a, b = (tpul.Tensor(name=name, dtype="float16", shape=[1, 3, 8, 8], data=data(1, 3, 8, 8, dtype="float16")) for name in "ab")
    scaled, added = tpul.custom(tensors_in=[a, b], op_name="scaleadd", params={"scale": 0.5}, out_dtypes=["float16"] * 2)
    y = tpul.relu(tpul.mul(tpul.add(scaled, added), added))
    y = tpul.concat([y, tpul.sub(y, scaled)], axis=1)
    tpul.compile("two", inputs=[a, b], outputs=[y], mlir_inference=False, bmodel_inference=False)


def quantized_later(tpul):
    """Scale and zero point are set after a tensor was made, and after it was computed."""
    tpul.init("BM1684X")
    x = tpul.Tensor(name="in", dtype="int8", shape=[1, 3, 4, 4], data=data(1, 3, 4, 4, dtype="int8"))
    x.quantization(scale=0.5, zero_point=0)
    y = tpul.permute(tpul.relu(x), [0, 2, 3, 1])
    y.quantization(scale=0.5, zero_point=0)
    tpul.compile("later", [x], [y], False, None, mlir_inference=False, bmodel_inference=False)


def image(tpul):
    """An input that is an image."""
    tpul.init("BM1684X")
    pixels = data(1, 3, 16, 16, dtype="int8")
    x = tpul.Tensor(name="image", dtype="int8", shape=[1, 3, 16, 16], data=pixels)
    x.preprocess(mean=[123.675, 116.28, 103.53], scale=[0.017, 0.017, 0.017], pixel_format="rgb")
    y = tpul.maxpool2d(tpul.relu(x), kernel=[2, 2], stride=[2, 2])
    tpul.compile("image", [x], [y], cmp=False, mlir_inference=False, bmodel_inference=False, asymmetric=True)


def graphs(tpul):
    """Graphs are kept, and made the default again."""
    tpul.init("BM1684X")
    x = tpul.Tensor(shape=[2, 8], data=data(2, 8), name="x")
    kept = {}
    for name, function in (("exp", tpul.exp), ("sigmoid", tpul.sigmoid)):
        tpul.reset_default_graph()
        kept[name] = tpul.get_default_graph(), function(x)
    for name, (graph, y) in kept.items():
        tpul.reset_default_graph(graph)
        tpul.compile_f32(name, [x], [y], opt=1, addr_mode="io_reloc")
    tpul.reset_graph()
    tpul.deinit()


def transformer_layer(tpul):
    """qwen2_block with packed 4-bit weights, small."""
    tpul.init("BM1684X")
    hidden, heads, kv_heads, group, length, bits = 256, 2, 1, 128, 16, 4
    head, inner = hidden // heads, 512

    def coeff(*shape, dtype="float32"):
        values = np.random.randint(0, 1 << 30, shape).astype(dtype) if dtype == "int32" else data(*shape) * 0.1
        return tpul.Tensor(dtype=dtype, shape=list(shape), data=values, ttype="coeff")

    def packed(rows, columns):
        groups, each = rows // group, 32 // bits
        return [coeff(rows // each, columns, dtype="int32"), coeff(groups, columns), coeff(groups, columns // each, dtype="int32")]

    feeds = {"states": data(1, length, hidden), "mask": data(1, 1, length, length),
             "positions": np.array(3 * [[range(length)]], dtype=np.int32)}
    states, mask, positions = (tpul.Tensor(name=k, shape=list(v.shape), dtype=str(v.dtype), data=v) for k, v in feeds.items())
    weights = [w for width in (hidden, kv_heads * head, kv_heads * head) for w in packed(hidden, width) + [coeff(width)]]
    weights += packed(hidden, hidden) + [None] + packed(inner, hidden) + packed(hidden, inner) + packed(hidden, inner)
    tables = [[coeff(length, 1, part) for part in (16, 24, 24)] for _ in ("cos", "sin")]
    outputs = tpul.qwen2_block(states, positions, mask, *weights, coeff(hidden), coeff(hidden), *tables, out_dtype="float32",
                               group_size=group, weight_bits=bits, hidden_size=hidden, num_attention_heads=heads,
                               num_key_value_heads=kv_heads, quant_method="gptq", out_name="output")
    tpul.compile_f32("layer", [states, positions, mask], list(outputs), mode="f16")


def again(tpul):
    """A module that was written before is compiled."""
    tpul.init("BM1684X")
    x = tpul.Tensor(shape=[4, 4], data=data(4, 4))
    tpul.compile_f32("written", [x], [tpul.gelu(x)])
    tpul.mlir_compile_f32("compiled", "written_origin.mlir", mode="f16", num_core=1)
    with open("written.mlir") as first, open("compiled.mlir") as second:
        assert first.read() == second.read()


SAMPLES = {f.__name__: f for f in (classifier, several_networks, before_init, custom_operators, two_results, quantized_later, image,
                                   graphs, transformer_layer, again)}
