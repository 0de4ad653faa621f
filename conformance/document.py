"""Rewrites a part of docs/onnx.md."""
import pathlib
import re

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "onnx.md"


def write(mark, lines):
    """Put lines between the comment `mark` and the next comment `end`."""
    text, count = re.subn(r"(<!-- %s -->\n)(?s:.*?)(<!-- end -->)" % mark, lambda m: m[1] + "\n" + "\n".join(lines) + "\n\n" + m[2], DOCUMENT.read_text())
    assert count == 1, "docs/onnx.md lacks the comment " + mark
    DOCUMENT.write_text(text)
