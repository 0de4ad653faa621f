"""Selecting by a condition."""
import numpy as np

from random_graph import R, shape


def cond_select(s):
    x = shape(1, 5)
    c = s.tensor("c", x, values=np.random.randint(0, 2, x).astype("float32"))

    def branch(name):
        if R.random() < 0.5:
            return s.tensor(name, x, "float32", R.random() < 0.3)
        return {"value": R.choice([0.5, -2.0]), "dtype": "float32"}

    s.call("cond_select", cond=c, tbrn=branch("t"), fbrn=branch("f"))


def select(s):
    x = shape(1, 5)
    kind = R.choice(["Greater", "Less", "GreaterOrEqual", "LessOrEqual", "Equal", "NotEqual", "And", "Xor"])
    side = lambda: np.random.randint(0 if kind in ("And", "Xor") else -1, 2, x).astype("float32")

    def branch(name):
        return s.tensor(name, x, "float32", R.random() < 0.3) if R.random() < 0.7 else {"value": 0.5, "dtype": "float32"}

    s.call("select", lhs=s.tensor("l", x, values=side()), rhs=s.tensor("r", x, values=side()),
           tbrn=branch("t"), fbrn=branch("f"), type=kind)


def nonzero(s):
    # The executor's result is shorter if it finds fewer indices.
    s.call("nonzero", input=s.tensor("x", shape(1, 4)), dtype=R.choice([None, "int32", "float32"]))


KINDS = {"cond_select": cond_select, "select": select, "nonzero": nonzero}
