"""Choosing by a condition."""
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


KINDS = {"cond_select": cond_select}
