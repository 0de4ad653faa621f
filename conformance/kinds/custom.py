"""Custom operators. tpuc-opt needs their plug-in, so only rejected graphs are compared."""
from random_graph import R, maybe, shape


def custom(s):
    inputs = [s.tensor("x%d" % i, shape(1, 4), R.choice(["float32", "int8"])) for i in range(R.randint(1, 3))]
    outs = ["y%d" % i for i in range(R.randint(1, 2))]
    s.call("custom", outs, tensors_in=inputs, op_name="mine", out_dtypes=[R.choice(["float32", "int8"]) for _ in outs],
           params={"a": 1.5, "b": R.randint(0, 9), "c": [1, 2], "d": maybe(0.5, lambda: 0.25) or True})


REFUSED_BY_PEER = {"custom": (1.0, "tpuc-opt needs the plug-in")}
KINDS = {"custom": custom}
