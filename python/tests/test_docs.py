"""Every Python block of the guides and the README runs, and prints what the document shows.

The blocks of a document share a namespace and a temporary folder. A `text` block is the output of the block before it; in a
`text varies` block, numbers may differ. A block that imports a module that is not installed is skipped.
"""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import shutil

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\n\n```text( varies)?\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


class Document:
    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding="utf-8")
        self.blocks = list(BLOCK.finditer(self.text))
        self.folder, self.namespace, self.printed = None, {"__name__": "document"}, []

    def run_to(self, index, folder):
        """Run the blocks up to this one that have not run yet; return what it printed."""
        if self.folder is None:
            self.folder = folder
            shutil.copy(self.path, folder)
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            while len(self.printed) <= index:
                block = self.blocks[len(self.printed)]
                output = io.StringIO()
                self.printed.append("")
                # Tracebacks show the lines of the copy, which is also what files of tests are written beside.
                lines_before = self.text.count("\n", 0, block.start(1))
                code = compile("\n" * lines_before + block[1], os.path.join(self.folder, self.path.name), "exec")
                if not missing(block[1]):
                    with contextlib.redirect_stdout(output):
                        exec(code, self.namespace)
                self.printed[-1] = output.getvalue()
        finally:
            os.chdir(before)
        return self.printed[index]


def missing(source):
    """Return a module that a block imports in its lines, if it is not installed."""
    modules = re.findall(r"^(?:import|from) (\w+)", source, re.MULTILINE)
    return next((module for module in modules if importlib.util.find_spec(module) is None), None)


def same_form(text):
    """Return a text without its numbers and the widths of its columns."""
    return re.sub(r"\s+", " ", re.sub(r"\d+\.\d+", "0.0", text))


DOCUMENTS = [Document(ROOT / name) for name in ("README.md", "docs/python.md", "docs/pytorch.md")]
BLOCKS = [
    pytest.param(document, index, id=f"{document.path.name}:{document.text.count(chr(10), 0, block.start()) + 1}")
    for document in DOCUMENTS
    for index, block in enumerate(document.blocks)
]


@pytest.mark.parametrize("document, index", BLOCKS)
def test_block(document, index, tmp_path_factory, monkeypatch):
    for variable in ("CI", "TPULANG_TOOLCHAIN", "TPULANG_UPDATE_GOLDEN"):
        monkeypatch.delenv(variable, raising=False)
    source, varies, expected = document.blocks[index].groups()
    printed = document.run_to(index, document.folder or tmp_path_factory.mktemp("document"))
    name = missing(source)
    if name:
        pytest.skip(f"{name} is not installed")
    if varies:
        assert same_form(printed) == same_form(expected)
    else:
        assert printed == (expected or "")


def test_every_document_has_blocks():
    for document in DOCUMENTS:
        assert len(document.blocks) == document.text.count("```python\n") > 0
        outputs = [block[3] for block in document.blocks if block[3] is not None]
        # An output that follows no block would not be compared.
        assert len(outputs) == document.text.count("\n```text"), document.path.name
