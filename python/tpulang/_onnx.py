"""Networks of other frameworks, by way of ONNX."""
from tpulang._errors import Error
from tpulang._native import Graph


def from_onnx(model, *, dimensions=None, shapes=None, inputs=None, outputs=None, data_anywhere=False):
    """Reads a network from an ONNX model: ``Graph.from_onnx``."""
    return Graph.from_onnx(
        model, dimensions=dimensions, shapes=shapes, inputs=inputs, outputs=outputs, data_anywhere=data_anywhere
    )


def from_torch(module, example, *, input_names=None, output_names=None):
    """Returns the network of a PyTorch module, which is exported to ONNX in memory.

    ``example`` is a tensor or a tuple of tensors, of the shapes that the network has from then on. The module is exported as
    it behaves after ``module.eval()``. Needs the packages torch and onnxscript.
    """
    import torch

    args = example if isinstance(example, tuple) else (example,)
    # Some submodules may be frozen.
    training = {part: part.training for part in module.modules()}
    module.eval()
    try:
        program = torch.onnx.export(
            module, args, dynamo=True, input_names=input_names, output_names=output_names, verbose=False
        )
    except ModuleNotFoundError as missing:
        raise Error(f"from_torch: {missing}; PyTorch's exporter needs it (pip install onnxscript)") from None
    finally:
        for part, mode in training.items():
            part.training = mode
    return Graph.from_onnx(program.model_proto.SerializeToString())
