"""The compile functions: without a tool chain, and with a stand-in for it that records how it is called."""
import errno
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import tpulang as tpul

# A stand-in for tpu_mlir. Each function writes the file that the real one writes, and notes its call.
STAND_IN = {
    "__init__.py": "",
    "python/utils/mlir_shell.py": """
        import json, os, subprocess, sys, time
        def note(stage, to, **options):
            with open("calls.txt", "a") as f:
                f.write(json.dumps([stage, to, options]) + "\\n")
            open(to, "w").close()
        def mlir_opt_for_top(source, target, **options):
            print("canonicalizing " + source)
            if os.environ.get("STAND_IN_WAITS"):
                code = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); print(flush=True); time.sleep(600)"
                helper = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
                helper.stdout.readline()
                with open(os.environ["STAND_IN_WAITS"] + ".part", "w") as f:
                    json.dump([os.getpid(), helper.pid], f)
                os.rename(f.name, os.environ["STAND_IN_WAITS"])
                time.sleep(600)
            note("canonicalize", target, **options)
        def mlir_lowering(source, target, **options):
            if os.environ.get("STAND_IN_FAILS"):
                print("loc(y): this cannot be lowered")
                raise RuntimeError("tpuc-opt")
            note("lower", target, **options)
        def mlir_to_model(**options):
            note("generate", options["bmodel_path"], **options)
    """,
    "python/tools/model_runner.py": """
        def mlir_inference(inputs, model):
            from ..utils.mlir_shell import note
            note("infer", model)
            return inputs
        model_inference = mlir_inference
    """,
    "python/tools/npz_tool.py": """
        def npz_compare(arguments):
            from ..utils.mlir_shell import note
            note("compare", "compared.txt", arguments=arguments)
    """,
}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TPULANG_TOOLCHAIN", raising=False)
    return tmp_path


@pytest.fixture
def toolchain(tmp_path_factory, monkeypatch):
    site = tmp_path_factory.mktemp("site")
    for path, text in STAND_IN.items():
        file = site / "tpu_mlir" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
    monkeypatch.setenv("PYTHONPATH", str(site))
    monkeypatch.setenv("TPULANG_TOOLCHAIN", sys.executable)


def network(dtype="float32"):
    tpul.init("BM1684X")
    x = tpul.Tensor(name="x", shape=[2, 3], dtype=dtype, data=np.array([[-1, 2, -3], [4, -5, 6]], dtype))
    return x, tpul.relu(x, out_name="y")


def calls(folder):
    return [json.loads(line) for line in (folder / "calls.txt").read_text().splitlines()]


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_without_a_tool_chain(folder, capfd):
    x, y = network()
    tpul.compile_f32("net", [x], [y], refs={"y": np.maximum(x.buffer, 0)})
    assert files(folder) == ["net_in_f32.npz", "net_origin.mlir", "net_ref_output.npz", "net_top_f32_all_origin_weight.npz",
                             "net_top_outputs.npz"]
    assert np.load("net_in_f32.npz")["x"].tolist() == x.buffer.tolist()
    assert np.load("net_top_outputs.npz")["y"].tolist() == [[0, 2, 0], [4, 0, 6]]
    assert "TPULANG_TOOLCHAIN" in capfd.readouterr().out


def test_quiet_prints_nothing(capfd, toolchain):
    x, y = network()
    tpul.compile_f32("net", [x], [y], log_level="quiet")
    assert capfd.readouterr() == ("", "")


def test_results_are_compared():
    x, y = network()
    with pytest.raises(tpul.Error, match='output "y" differs from the reference: cosine -1.0000'):
        tpul.compile_f32("net", [x], [y], refs={"y": np.minimum(-x.buffer, 0)}, log_level="quiet")


def test_all_modes(folder, toolchain, capfd):
    x, y = network()
    tpul.compile_f32("net", [x], [y], mode="all", spec_op_mode={"relu": "F16", "conv": "f32"})
    assert [(stage, to) for stage, to, _ in calls(folder)] == [
        ("canonicalize", "net.mlir"), ("infer", "net.mlir"),
        *((stage, to.format(mode)) for mode in ("f32", "f16", "bf16") for stage, to in (
            ("lower", "net_{}.mlir"), ("infer", "net_{}.mlir"), ("compare", "compared.txt"),
            ("generate", "net_{}.bmodel"), ("infer", "net_{}.bmodel"), ("compare", "compared.txt")))]
    assert calls(folder)[2][2]["quantize_table"] == "y:F16"
    assert "canonicalizing net_origin.mlir" in capfd.readouterr().out


def test_quantized(folder, toolchain):
    x, y = network("int8")
    x.quantization(scale=0.5, zero_point=0)
    x.preprocess(pixel_format="rgb", channel_format="nhwc")
    tpul.compile("net", [x], [y], asymmetric=True, mlir_inference=False, bmodel_inference=False)
    stages = {stage: options for stage, _, options in calls(folder)}
    assert list(stages) == ["canonicalize", "lower", "generate"]
    options = {key: stages["lower"][key] for key in ("mode", "asymmetric", "fuse_preprocess", "customization_format")}
    assert options == {"mode": "int8", "asymmetric": True, "fuse_preprocess": True, "customization_format": "RGB_PACKED"}
    assert "net_top_quantized_all_origin_weight.npz" in files(folder)


def test_no_save_leaves_the_bmodel(folder, toolchain):
    x, y = network()
    tpul.compile_f32("net", [x], [y], mode="f16", no_save=True)
    assert files(folder) == ["net_f16.bmodel"]
    tpul.compile_f32("new/net", [x], [y], mode="f16", no_save=True)
    assert files(folder / "new") == ["net_f16.bmodel"]


def test_a_folder_in_the_name(folder, toolchain):
    x, y = network()
    tpul.compile_f32("inner/net", [x], [y], log_level="quiet")
    assert files(folder) == ["inner"]
    assert {"net_origin.mlir", "net.mlir", "net_f32.bmodel"} <= set(files(folder / "inner"))


def test_a_module_is_compiled(folder, toolchain):
    x, y = network()
    tpul.get_default_graph().finish("net", [x], [y]).write_mlir()
    tpul.mlir_compile_f32("again", "net_origin.mlir", mode="bf16")
    assert [to for _, to, _ in calls(folder)] == ["again.mlir", "again_bf16.mlir", "again_bf16.bmodel"]


def test_a_dump_is_compiled_again(folder, toolchain):
    x, y = network()
    tpul.compile_f32("net", [x], [y], mode="f16", opt=0, debug_dump_mode="dump", log_level="quiet")
    (folder / "calls.txt").unlink()
    tpul.init("BM1688")
    tpul.debug_dump_compile("debug_dumps/net_graph_dump.json")
    assert [stage for stage, _, _ in calls(folder)] == ["canonicalize", "lower", "generate"]
    assert calls(folder)[1][2]["chip"] == "bm1684x" and calls(folder)[2][2]["disable_layer_group"]


def test_a_stage_fails(toolchain, monkeypatch):
    monkeypatch.setenv("STAND_IN_FAILS", "1")
    x, y = network()
    with pytest.raises(tpul.ToolChainError) as e:
        tpul.compile_f32("net", [x], [y], log_level="quiet")
    assert str(e.value).startswith('compile_f32 "net": lowering to f32 failed: RuntimeError: tpuc-opt\n')
    assert str(e.value).endswith("\n  | loc(y): this cannot be lowered")
    assert e.value.stage == "lowering to f32"


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def wait_until(condition):
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize("no_save", [False, True])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_ends_all_processes_and_leaves_no_temporary_folder(folder, toolchain, monkeypatch, sent, no_save):
    code = f"""if True:
        import numpy as np, tpulang as tpul
        tpul.init("BM1684X")
        x = tpul.Tensor(name="x", shape=[2], data=np.ones(2, "float32"))
        tpul.compile_f32("net", [x], [tpul.relu(x)], no_save={no_save})
    """
    temporary, waits = folder / "temporary", folder / "waits"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setenv("STAND_IN_WAITS", str(waits))
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(tpul.__file__).parents[1]), prepend=os.pathsep)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as script:
        wait_until(lambda: waits.exists() or script.poll() is not None)
        pids = json.loads(waits.read_text())
        assert all(map(is_running, pids)) and list(temporary.iterdir())
        script.send_signal(sent)
        assert script.wait(60) == -sent
    wait_until(lambda: not any(map(is_running, pids)))
    assert list(temporary.iterdir()) == []


def test_an_existing_module_needs_the_tool_chain(folder):
    network()
    (folder / "net_origin.mlir").write_text("")
    with pytest.raises(tpul.ToolChainError, match='mlir_compile "net" needs TPU-MLIR\'s tool chain: install it') as e:
        tpul.mlir_compile("net", "net_origin.mlir")
    guide = pathlib.Path(__file__).parents[2] / "docs" / "python.md"
    assert f"\n{re.search('toolchain/bin/pip install [^)]*', str(e.value))[0]}\n" in guide.read_text(encoding="utf-8")


def test_a_wrong_path_of_the_tool_chain(monkeypatch):
    monkeypatch.setenv("TPULANG_TOOLCHAIN", "nowhere")
    x, y = network()
    with pytest.raises(tpul.Error, match="TPULANG_TOOLCHAIN is nowhere; it must be the folder"):
        tpul.compile_f32("net", [x], [y])


@pytest.mark.parametrize("function, wrong, message", [
    ("compile_f32", {"mode": "f64"}, 'mode is "f64"; it must be "f32", "f16", "bf16" or "all"'),
    ("compile_f32", {"num_core": 2}, "num_core is 2; it must be 1 for bm1684x"),
    ("compile", {"opt": 3}, "opt is 3; it must be 0, 1 or 2"),
    ("compile", {"log_level": "loud"}, 'log_level is "loud"; it must be "normal", "simple", "only-layer-group" or "quiet"'),
    ("compile", {"addr_mode": "io"}, 'addr_mode is "io"; it must be "auto" or "io_reloc"'),
    ("compile", {"debug_dump_mode": "save"}, 'debug_dump_mode is "save"; it must be "normal", "dump" or "load"'),
    ("compile_f32", {"spec_op_mode": {"relu": "int8"}}, 'spec_op_mode["relu"] is "int8"; it must be "f32", "f16" or "bf16"'),
    ("compile_f32", {"refs": True}, "refs is True, a bool; it must be a dict of names and arrays"),
    ("compile_f32", {"refs": {"x": np.zeros(5)}}, 'refs["x"] is of shape [5]; it must be of shape [2, 3]'),
    ("compile_f32", {"refs": {1: np.zeros(5)}}, "refs is a dict with the key 1, an int; it must be a dict of names and arrays"),
    ("compile_f32", {"refs": {"y": "abc"}}, 'refs["y"] is an array of str96; it must be an array of numbers'),
    ("compile_f32", {"refs": {"y": np.ma.array([1], mask=[1])}},
     'refs["y"] is a masked array; it must be array.filled(value) or array.data: the mask would be lost'),
    ("compile_f32", {"spec_op_mode": {"reluu": "f16"}},
     'spec_op_mode is a dict with the key "reluu"; it must be a dict of functions, such as "relu", or names of custom operators of the '
     "network, and modes"),
    ("compile_f32", {"outputs": None}, "outputs is NoneType; it must be a list of tensors"),
])
def test_wrong_arguments(folder, function, wrong, message):
    x, y = network()
    with pytest.raises(tpul.Error) as e:
        getattr(tpul, function)(**{"name": "net", "inputs": [x], "outputs": [y], **wrong})
    assert str(e.value) == f'{function} "net": {message}'
    assert not files(folder)


@pytest.mark.parametrize("name", ["", ".", "..", "inner/", "inner/.."])
def test_a_name_names_the_network(folder, name):
    x, y = network()
    with pytest.raises(tpul.Error) as e:
        tpul.compile_f32(name, [x], [y], log_level="quiet")
    expected = 'the name of the network, possibly with a folder, such as "folder/net"'
    assert str(e.value) == f'compile_f32 "{name}": name is "{name}"; it must be {expected}'
    assert not files(folder)
    with pytest.raises(tpul.InvalidType, match="compile_f32: name is 5, an int; it must be a string, the name of the network"):
        tpul.compile_f32(5, [x], [y])


def test_a_run_fails(folder):
    tpul.init("BM1684X")
    x = tpul.Tensor(name="x", shape=[2], dtype="int32", data=np.array([0, 9], "int32"))
    w = tpul.Tensor(shape=[3, 2], data=np.ones((3, 2), "float32"), ttype="coeff")
    y = tpul.index_select(w, x, axis=0, out_name="y")
    with pytest.raises(tpul.Error, match='compile_f32 "net": the network is written to .*net_origin.mlir, but running it failed'):
        tpul.compile_f32("net", [x], [y], log_level="quiet")
    assert "net_origin.mlir" in files(folder) and "net_top_outputs.npz" not in files(folder)


def test_references_have_the_shapes_of_results():
    x, y = network()
    expected = np.maximum(x.buffer, 0)
    tpul.compile_f32("net", [x], [y], refs={"y": expected.ravel()}, log_level="quiet")
    for wrong in (expected.reshape(3, 2), expected[:1]):
        with pytest.raises(tpul.Error, match=r'output "y" has shape \[2, 3\]; the reference has'):
            tpul.compile_f32("net", [x], [y], refs={"y": wrong}, log_level="quiet")


def test_a_reference_of_nothing_is_told(folder):
    x, y = network()
    refs = {"op_name": "relu", "y": np.maximum(x.buffer, 0)}
    with pytest.warns(UserWarning, match='compile_f32 "net": refs has "op_name", which is neither an input nor an output; nothing is '
                                         'compared with it. There are "x", "y"') as record:
        tpul.compile_f32("net", [x], [y], refs=refs, log_level="quiet")
    assert len(record) == 1 and record[0].filename == __file__
    assert list(np.load("net_ref_output.npz")) == ["op_name", "y"]


def test_tensors_have_any_names(folder, toolchain, monkeypatch):
    """numpy.savez takes no array of the name "file"."""
    data = np.array([-1, 2], "float32")
    for place in ("with", "without"):
        tpul.init("BM1684X")
        x = tpul.Tensor(name="file", shape=[2], data=data)
        y = tpul.relu(x, out_name="a/b")
        tpul.compile_f32(place, [x], [y], refs={"file": data, "a/b": data.clip(0)}, log_level="quiet")
        assert all(np.load(f"{place}_{kind}.npz")["file"].tolist() == [-1, 2] for kind in ("in_f32", "ref_output"))
        monkeypatch.delenv("TPULANG_TOOLCHAIN", raising=False)
    assert np.load("with_top_outputs.npz")["file"].tolist() == [-1, 2]
    assert np.load("without_top_outputs.npz")["a/b"].tolist() == [0, 2]
    assert not [name for name in files(folder) if name.endswith(".part")]


def test_a_dump_that_does_not_exist():
    with pytest.raises(tpul.FileError, match="debug_dump_compile: nowhere.json: No such file") as e:
        tpul.debug_dump_compile("nowhere.json")
    assert (e.value.errno, e.value.filename) == (errno.ENOENT, "nowhere.json")


def test_functions_are_pickled_and_shown():
    for name in ("compile", "compile_f32", "mlir_compile"):
        function = getattr(tpul, name)
        assert pickle.loads(pickle.dumps(function)) is function
        assert repr(function) == f"<function tpulang.{name}>"
        assert (function.__module__, function.__qualname__) == ("tpulang", name)


def test_an_input_without_data(folder):
    tpul.init("BM1684X")
    x = tpul.Tensor(name="x", shape=[2])
    y = tpul.relu(x)
    with pytest.raises(tpul.Error, match='input "x" has no data'):
        tpul.compile_f32("net", [x], [y])
    tpul.compile_f32("net", [x], [y], mlir_inference=False, bmodel_inference=False, log_level="quiet")
    assert "net_origin.mlir" in files(folder)


def test_inputs_are_not_computed(folder):
    x, y = network()
    for options in ({}, {"mlir_inference": False, "bmodel_inference": False}):
        with pytest.raises(tpul.Error) as e:
            tpul.compile_f32("net", [x, y], [y], **options)
        problem = 'inputs[1] is "y", which relu computes; it must be a tensor that is declared with tpulang.Tensor(..)'
        assert str(e.value) == f'compile_f32 "net": {problem}'
    assert not files(folder)


def test_a_quantized_network_is_not_one_of_floats():
    tpul.init("BM1684X")
    x = tpul.Tensor(name="x", shape=[2], data=np.array([1, 2], "int8"))
    y = tpul.dequant_int_to_fp(x, scale=0.5, offset=0, out_name="y")
    remedy = 'call compile instead of compile_f32, or set the graph\'s mode to "quantized"'
    with pytest.warns(tpul.GraphWarning, match=f"^quantized-in-f32: dequant_int_to_fp .* as one of floats; {remedy}$"):
        tpul.compile_f32("net", [x], [y], log_level="quiet")
