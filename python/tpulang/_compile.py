"""TpuLang's compile functions.

They write the pair of files that the tool chain reads, and continue with the tool chain, if there is one, to a bmodel.
"""
import os
import shutil
import tempfile

from tpulang import _dump, _native, _toolchain
from tpulang._compile_checks import Checks
from tpulang._errors import Error
from tpulang._stages import save_arrays


@_native.boundary
def compile(name, inputs, outputs, cmp=True, refs=None, mode="f32", dynamic=False, asymmetric=False, no_save=False, opt=2,
            mlir_inference=True, bmodel_inference=True, log_level="normal", embed_debug_info=False, addr_mode="auto",
            gdma_check=False, layer_group_config="", num_core=1, enable_lghash=False, lghash_dir="",
            debug_dump_mode="normal", disable_topo_sort=True, enable_affine=False):
    """Compile a quantized network to NAME_int8.bmodel.

    It writes the files that TpuLang writes, under the same names. Without TPU-MLIR's tool chain, it writes those that do not
    need it: NAME_origin.mlir with its weights, NAME_in_f32.npz, NAME_ref_output.npz, and NAME_top_outputs.npz, which
    tpulang's executor computes. The tool chain is that of this Python, or of the virtual environment that the environment
    variable TPULANG_TOOLCHAIN names.

    Args:
        name: The name of the network, possibly with a folder.
        inputs, outputs: Lists of tensors. Tensors with data that are not among the inputs are constants.
        cmp: Whether to compare the results with `refs`, and those of the bmodel with those of the lowered module.
        refs: Arrays that outputs are compared with, by name; those of inputs are fed instead of the tensors' data.
            Others are only written, with a warning.
        mode: Not used.
        dynamic: Whether shapes may change.
        asymmetric: Whether quantization has zero points.
        no_save: Whether to write nothing but the bmodel.
        opt: How operators are grouped: 0 not at all, 1 as much as possible, 2 by dynamic programming.
        mlir_inference, bmodel_inference: Whether to run the lowered module, and the bmodel.
        log_level: "normal", "simple", "only-layer-group" or "quiet".
        embed_debug_info: Whether the bmodel can be profiled.
        addr_mode: "auto" or "io_reloc".
        debug_dump_mode: "dump" also saves the network in debug_dumps, for `debug_dump_compile`.
        gdma_check, layer_group_config, num_core, enable_lghash, lghash_dir, disable_topo_sort, enable_affine: Passed on
            to the tool chain.
    """
    _compile_graph("compile", dict(locals()))


@_native.boundary
def compile_f32(name, inputs, outputs, cmp=True, refs=None, mode="f32", dynamic=False, opt=2, no_save=False,
                mlir_inference=True, bmodel_inference=True, top_mlir_inference=True, tpu_mlir_inference=True,
                log_level="normal", embed_debug_info=False, addr_mode="auto", gdma_check=False, layer_group_config="",
                spec_op_mode=None, num_core=1, enable_lghash=False, lghash_dir="", debug_dump_mode="normal",
                disable_topo_sort=True, enable_affine=False):
    """Compile a network of floats to NAME_f32.bmodel, NAME_f16.bmodel or NAME_bf16.bmodel.

    The other arguments, and what is done without the tool chain, are the same as for `compile`.

    Args:
        mode: "f32", "f16", "bf16", or "all" for all three.
        top_mlir_inference, tpu_mlir_inference: Whether to run the canonical module, and the lowered one.
        spec_op_mode: Modes by function, such as {"conv": "f16"}; a custom operator is named by its op_name.
    """
    _compile_graph("compile_f32", dict(locals()))


@_native.boundary
def mlir_compile(name, mlir_path, cmp=False, refs=None, dynamic=False, asymmetric=False, opt=2, mlir_inference=False,
                 bmodel_inference=False, log_level="normal", embed_debug_info=False, addr_mode="auto", gdma_check=False,
                 layer_group_config="", enable_lghash=False, lghash_dir="", disable_topo_sort=True, num_core=1,
                 enable_affine=False):
    """Compile a quantized network that was written before: a file NAME_origin.mlir. The arguments are those of `compile`."""
    _compile_file("mlir_compile", dict(locals()))


@_native.boundary
def mlir_compile_f32(name, mlir_path, cmp=False, refs=None, mode="f32", dynamic=False, opt=2, mlir_inference=False,
                     bmodel_inference=False, top_mlir_inference=False, tpu_mlir_inference=False, log_level="normal",
                     embed_debug_info=False, addr_mode="auto", gdma_check=False, layer_group_config="", spec_op_mode=None,
                     enable_lghash=False, lghash_dir="", disable_topo_sort=True, num_core=1, enable_affine=False):
    """Compile a network of floats that was written before: a file NAME_origin.mlir. The arguments are those of `compile_f32`."""
    _compile_file("mlir_compile_f32", dict(locals()))


@_native.boundary
def debug_dump_compile(file_path):
    """Compile again what a compile function saved with debug_dump_mode="dump"."""
    graph, call, chip, arguments = _dump.load(file_path)
    _native.set_chip(chip)
    defaults = dict.fromkeys(("inputs", "outputs"), ())
    off = dict.fromkeys(("cmp", "mlir_inference", "bmodel_inference", "top_mlir_inference", "tpu_mlir_inference"), False)
    _continue(Compilation(call, {**defaults, **off, "refs": None, "layer_group_config": "", **arguments}, graph))


@_native.boundary
def bmodel_inference_combine(bmodel_file, final_mlir_fn, input_data_fn, tensor_loc_file, reference_data_fn, dump_file=True,
                             save_path="", out_fixed=False, dump_cmd_info=True, skip_check=True, run_by_op=False,
                             desire_op=[], is_soc=False, using_memory_opt=False, enable_soc_log=False, soc_tmp_path="/tmp",
                             hostname=None, port=None, username=None, password=None):
    """Run a bmodel operator by operator: the tool chain's function of this name, with its arguments.

    Without `dump_file` it returns arrays, so it must run in the Python that has the tool chain.
    """
    arguments = dict(locals())
    if not dump_file and not _toolchain.is_here():
        raise Error("bmodel_inference_combine: dump_file is False; it must be True outside the Python that has the tool chain")
    step = (f"running {bmodel_file}", "combine", arguments)
    return _toolchain.run("bmodel_inference_combine", [step])


def finish(compilation, inputs, outputs):
    """Return a copy of the default graph with these inputs and outputs."""
    graph = _default_graph(compilation.title).finish(compilation.name, inputs, outputs)
    graph.mode = "f32" if compilation.float else "quantized"
    return graph


def _default_graph(title):
    graph = _native.get_default_graph()
    if graph is None:
        raise Error(f'{title}: there is no network; begin one with init("BM1684X")')
    return graph


class Compilation:
    """A compile call: its checked arguments, and the steps of the tool chain that follow from them."""

    def __init__(self, call, arguments, graph=None):
        self.checks = Checks(call, arguments)
        self.title, self.graph = self.checks.title, graph
        self.__dict__.update(arguments)
        self.chip = _native.get_chip()
        self.checks.common(self.chip)
        # The tool chain finds the weights by a path relative to the working folder, so it works where the files are.
        self.folder, self.name = os.path.split(os.path.abspath(self.name))
        if arguments.get("no_save") or self.folder != os.getcwd():
            for argument in ("layer_group_config", "lghash_dir"):
                path = getattr(self, argument)
                setattr(self, argument, path and os.path.abspath(path))
        self.lowered_modes = self.checks.modes()
        self.float = self.lowered_modes != ["int8"]
        self.refs = self.checks.references()
        self.quiet = self.log_level == "quiet"
        # Quiet tools also keep silent about failures, so their output is hidden instead.
        self.level = "normal" if self.quiet else self.log_level
        self.infers_top = self.float and self.mlir_inference and self.top_mlir_inference
        self.infers_lowered = self.mlir_inference and (not self.float or self.tpu_mlir_inference)
        self.modes_by_function = self.checks.modes_by_function() if self.float else {}
        self.customization_format = None

    def say(self, text):
        if not self.quiet:
            print(text)

    def path(self, suffix):
        """Return the path of a file that is named after the network."""
        return os.path.join(self.folder, self.name + suffix)

    def write(self, folder):
        """Write the module and its weights, under TpuLang's names."""
        state = "top_f32" if self.float else "top_quantized"
        self.graph.write_mlir(folder, f"{self.name}_{state}_all_origin_weight.npz".lower())

    def steps(self, source, runs=True):
        """Return the steps from a file as it was written to the bmodels, with or without running the results."""
        steps = [(f"the canonical form of {source}", "canonicalize",
                  {"source": source, "target": self.name + ".mlir", "log_level": self.level})]
        if runs and self.infers_top:
            steps += self._run(self.name + ".mlir", self.name + "_top_outputs.npz")
            if self.cmp and self.refs:
                steps.append(self._compare("_top_outputs.npz", "_ref_output.npz", "0.99,0.99"))
        for mode in self.lowered_modes:
            steps += self._lower(mode, runs) + self._generate(mode, runs)
        return steps

    def _lower(self, mode, runs):
        lowered = f"{self.name}_{mode}"
        options = {"mode": mode, "chip": self.chip, "num_core": self.num_core, "addr_mode": self.addr_mode,
                   "log_level": self.level, "quantize_table": self._table()}
        if not self.float:
            options.update(asymmetric=self.asymmetric, customization_format=self.customization_format,
                           fuse_preprocess=self.customization_format is not None)
        steps = [("lowering to " + mode, "lower", {"source": self.name + ".mlir", "target": lowered + ".mlir", **options})]
        if runs and self.infers_lowered:
            steps += self._run(lowered + ".mlir", lowered + "_tpu_out.npz")
            reference = "_top_outputs.npz" if self.infers_top else "_ref_output.npz"
            if self.cmp and (self.infers_top or not self.float and self.refs):
                steps.append(self._compare(reference, f"_{mode}_tpu_out.npz", "0.95,0.80"))
        return steps

    def _generate(self, mode, runs):
        lowered = f"{self.name}_{mode}"
        options = {"tpu_mlir": lowered + ".mlir", "bmodel_path": lowered + ".bmodel", "final_mlir": lowered + "_final.mlir",
                   "disable_layer_group": self.opt == 0, "log_level": self.level}
        for key in ("dynamic", "opt", "embed_debug_info", "gdma_check", "layer_group_config", "enable_lghash", "lghash_dir",
                    "disable_topo_sort", "enable_affine"):
            options[key] = getattr(self, key)
        steps = [(f"generating {lowered}.bmodel", "generate", options)]
        if runs and self.bmodel_inference:
            steps += self._run(lowered + ".bmodel", lowered + "_model_out.npz")
            if self.infers_lowered:
                steps.append(self._compare(f"_{mode}_tpu_out.npz", f"_{mode}_model_out.npz", "0.95,0.80"))
        return steps

    def _run(self, model, outputs):
        return [("running " + model, "infer", {"model": model, "inputs": self.name + "_in_f32.npz", "outputs": outputs})]

    def _compare(self, target, reference, tolerance):
        target, reference = self.name + target, self.name + reference
        return (f"comparing {reference} with {target}", "compare",
                {"target": target, "reference": reference, "tolerance": tolerance})

    def check_functions(self):
        """Check the functions of spec_op_mode."""
        if self.modes_by_function:
            custom = {_function(operator) for operator in self.operators() if operator.op_name == "top.Custom"}
            self.checks.functions([*_native.FUNCTIONS, *custom])

    def operators(self):
        return (self.graph or _default_graph(self.title)).operators

    def _table(self):
        """Return the modes of operators by the names of their outputs, as lowering takes them."""
        if not self.modes_by_function:
            return ""
        modes = [(operator.outputs[0], self.modes_by_function.get(_function(operator))) for operator in self.operators()]
        return ",".join(f"{output}:{mode}" for output, mode in modes if mode)


def _function(operator):
    """Return the function that added an operator, or else its op; for `custom`, what the operator is called."""
    if operator.op_name == "top.Custom":
        return dict(operator.attributes)["name"].strip('"')
    return operator.function or operator.op_name


def _compile_graph(call, arguments):
    """Check the call, and compile the default graph."""
    compilation = Compilation(call, arguments)
    checks = compilation.checks
    checks.one_of("debug_dump_mode", ("normal", "dump", "load"))
    if compilation.debug_dump_mode == "load":
        raise Error(f'{compilation.title}: debug_dump_mode is "load"; call debug_dump_compile with the path of the dump')
    inputs, outputs = (checks.tensors(argument, _native.Tensor) for argument in ("inputs", "outputs"))
    checks.not_computed(inputs, {name: _function(operator) for operator in compilation.operators() for name in operator.outputs})
    compilation.refs = checks.references_of(inputs, outputs)
    feeds = _feeds(compilation, inputs)
    compilation.graph = finish(compilation, inputs, outputs)
    compilation.check_functions()
    if compilation.debug_dump_mode == "dump":
        compilation.say(f"{_dump.save(compilation.graph, call, compilation.chip, arguments)} is written")
    _continue(compilation, feeds)


def _feeds(compilation, inputs):
    """Return the arrays of the inputs: those of refs or of the tensors."""
    feeds = {t.name: compilation.refs.get(t.name, t.buffer) for t in inputs}
    if not compilation.no_save and (compilation.mlir_inference or compilation.bmodel_inference):
        for t in inputs:
            compilation.checks.fed(t, feeds[t.name])
    return {name: array for name, array in feeds.items() if array is not None}


def _format(tensor):
    """Return what lowering calls the format of an image."""
    kind = tensor.pixel_format
    if kind in ("rgb", "bgr"):
        return kind.upper() + ("_PLANAR" if tensor.channel_format == "nchw" else "_PACKED")
    return {"gray": "GRAYSCALE", "rgba": "RGBA_PLANAR"}.get(kind, kind.upper() + "_RAW")


def _continue(compilation, feeds=None):
    """Write a graph, and compile it as far as possible."""
    if not compilation.float:
        images = [t for t in compilation.graph.inputs if t.is_preprocess]
        compilation.customization_format = _format(images[0]) if images else None
    if compilation.no_save:
        return _compile_aside(compilation)
    compilation.write(compilation.folder)
    if compilation.refs:
        save_arrays(compilation.path("_ref_output.npz"), compilation.refs)
    if feeds is not None:
        save_arrays(compilation.path("_in_f32.npz"), feeds)
    if _toolchain.find():
        steps = compilation.steps(compilation.name + "_origin.mlir")
        return _toolchain.run(compilation.title, steps, compilation.folder, compilation.quiet)
    if compilation.infers_top or not compilation.float and compilation.mlir_inference:
        from tpulang._reference import run_reference

        run_reference(compilation, feeds)
    bmodels = " and ".join(f"{compilation.name}_{mode}.bmodel" for mode in compilation.lowered_modes)
    compilation.say(f"{compilation.title}: the network is written to {compilation.path('_origin.mlir')}. What remains (canonical "
                    f"form, lowering, code generation, up to {bmodels}) needs TPU-MLIR's tool chain: "
                    f"{_toolchain.HOW_TO_GET}.")


def _compile_aside(compilation):
    """Compile in a temporary folder, and keep only the bmodels."""
    with tempfile.TemporaryDirectory(prefix="tpulang-") as folder:
        compilation.write(folder)
        steps = compilation.steps(compilation.name + "_origin.mlir", runs=False)
        _toolchain.run(compilation.title, steps, folder, compilation.quiet, is_temporary=True)
        os.makedirs(compilation.folder, exist_ok=True)
        for mode in compilation.lowered_modes:
            bmodel, part = compilation.path(f"_{mode}.bmodel"), compilation.path(f"_{mode}.bmodel.part")
            # An earlier bmodel stays until there is another.
            shutil.copyfile(os.path.join(folder, f"{compilation.name}_{mode}.bmodel"), part)
            os.replace(part, bmodel)


def _compile_file(call, arguments):
    """Check the call, and compile a module that was written before."""
    compilation = Compilation(call, arguments)
    source = compilation.mlir_path
    if not os.path.isfile(source):
        compilation.checks.fail("mlir_path", f'"{source}"', "the path of a module, NAME_origin.mlir; there is no such file")
    compilation.check_functions()
    os.makedirs(compilation.folder, exist_ok=True)
    steps = compilation.steps(os.path.relpath(source, compilation.folder))
    _toolchain.run(compilation.title, steps, compilation.folder, compilation.quiet)
