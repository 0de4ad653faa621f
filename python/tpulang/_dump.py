"""Saves a graph and the arguments of its compile call, and loads them again."""
import json
import os

from tpulang import _native
from tpulang._errors import Error, FileError

FOLDER = "debug_dumps"
NOT_SAVED = ("inputs", "outputs", "cmp", "refs", "mlir_inference", "bmodel_inference", "top_mlir_inference",
             "tpu_mlir_inference", "layer_group_config", "debug_dump_mode")


def save(graph, call, chip, arguments):
    """Write the graph as a spec with its weights, and the call beside it; return the path of the call."""
    name = os.path.basename(arguments["name"])
    os.makedirs(FOLDER, exist_ok=True)
    graph.save(os.path.join(FOLDER, name + ".json"))
    kept = {key: value for key, value in arguments.items() if key not in NOT_SAVED}
    path = os.path.join(FOLDER, name + "_graph_dump.json")
    with open(path, "w") as f:
        json.dump({"call": call, "chip": chip, "spec": name + ".json", "arguments": kept}, f, indent=2)
    return path


def load(path):
    """Return the graph, the name of the function, the chip, and the arguments."""
    try:
        with open(path) as f:
            dump = json.load(f)
        call, chip, arguments = dump["call"], dump["chip"], dump["arguments"]
        spec = os.path.join(os.path.dirname(path), dump["spec"])
    except OSError as e:
        raise FileError(f"debug_dump_compile: {path}: {e.strerror}", function="debug_dump_compile", errno=e.errno, file=path) from e
    except (ValueError, KeyError, TypeError) as e:
        raise Error(f'debug_dump_compile: file_path is "{path}"; it must be a file that debug_dump_mode="dump" wrote') from e
    return _native.Graph.from_spec(spec), call, chip, arguments
