"""Saves a graph and the arguments of its compile call, and loads them again."""
import json
import os

from tpulang import _native
from tpulang._errors import Error

FOLDER = "debug_dumps"
NOT_SAVED = ("inputs", "outputs", "cmp", "refs", "mlir_inference", "bmodel_inference", "top_mlir_inference",
             "tpu_mlir_inference", "layer_group_config", "debug_dump_mode")


def save(graph, call, arguments):
    """Write the graph as a spec with its weights, and the call beside it; return the path of the call."""
    os.makedirs(FOLDER, exist_ok=True)
    name = arguments["name"]
    path = os.path.join(FOLDER, name + "_graph_dump.json")
    graph.write_spec(os.path.join(FOLDER, name + ".json"))
    kept = {key: value for key, value in arguments.items() if key not in NOT_SAVED}
    with open(path, "w") as f:
        json.dump({"call": call, "spec": name + ".json", "arguments": kept}, f, indent=2)
    return path


def load(path):
    """Return the graph, the name of the function, and its arguments."""
    try:
        with open(path) as f:
            dump = json.load(f)
        spec = os.path.join(os.path.dirname(path), dump["spec"])
        return _native.read_spec(spec), dump["call"], dump["arguments"]
    except (ValueError, KeyError, TypeError) as e:
        raise Error('debug_dump_compile: file_path is "%s"; it must be a file that debug_dump_mode="dump" wrote: %s' % (path, e))
