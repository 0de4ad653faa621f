"""Writes the files of this folder with PyTorch (2.15): python3 tests/torch/write.py."""
import collections
import os

import torch

os.chdir(os.path.dirname(os.path.abspath(__file__)))

torch.manual_seed(0)
linear = torch.nn.Linear(3, 2)
with torch.no_grad():
    linear.weight.copy_(torch.arange(6).reshape(2, 3))
    linear.bias.copy_(torch.tensor([0.5, -0.5]))

base = torch.arange(24, dtype=torch.float32).reshape(2, 3, 4)
dump = {
    "transposed": base.transpose(0, 2),
    "part": base[1, :, 1:3],
    "expanded": torch.tensor([[1.0], [2.0]]).expand(2, 3),
    "scalar": torch.tensor(7, dtype=torch.int64),
    "empty": torch.zeros(0, 3),
    "tied": base,
    "by_dtype": {
        str(dtype).partition(".")[2]: torch.tensor([0, 1, 1]).to(dtype)
        for dtype in [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int8, torch.uint8, torch.int16,
                      torch.int32, torch.int64, torch.bool]
    },
    "list": [torch.ones(1), torch.zeros(2)],
    "step": 3,
    "options": {"lr": 0.1, "names": ("a", None, True), "device": torch.device("cpu"), "dtype": torch.float32},
}
torch.save(dump, "dump.pt")
torch.save(collections.OrderedDict(linear.state_dict()), "linear.pth")
torch.save({"state_dict": linear.state_dict(), "optimizer": {"momentum": torch.ones(2)}, "epoch": 4}, "checkpoint.ckpt")
torch.save(linear, "module.pt")
torch.save(torch.ones(2), "tensor.pt")
torch.save({"a.b": torch.zeros(2), "a": {"b": torch.ones(2)}}, "repeated.pt")
torch.save({"x": torch.complex(torch.ones(2), torch.ones(2)).conj().imag}, "negated.pt")
torch.save({"x": torch.eye(2).to_sparse()}, "sparse.pt")
torch.save(linear.state_dict(), "old.pth", _use_new_zipfile_serialization=False)
