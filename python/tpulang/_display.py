"""Tables of graphs and profiles, as text and for notebooks."""
import html


class Table(list):
    """Rows, each a dict, that print as a table; notebooks show them as one."""

    def __init__(self, rows, formats=None):
        super().__init__(rows)
        self._formats = formats or {}

    def _cells(self):
        heads = list(self[0]) if self else []
        rows = [[self._formats.get(head, str)(row[head]) for head in heads] for row in self]
        return heads, rows

    def _is_number(self, head):
        return head in self._formats

    def __str__(self):
        heads, rows = self._cells()
        widths = [max(len(line[i]) for line in [heads, *rows]) for i in range(len(heads))]

        def line(cells):
            justified = (
                cell.rjust(width) if self._is_number(head) else cell.ljust(width)
                for cell, width, head in zip(cells, widths, heads)
            )
            return "  ".join(justified).rstrip()

        return "\n".join(line(cells) for cells in [heads, *rows])

    def _repr_html_(self):
        heads, rows = self._cells()
        style = {head: ' style="text-align: right"' if self._is_number(head) else ' style="text-align: left"' for head in heads}
        head = "".join(f"<th{style[name]}>{html.escape(name)}</th>" for name in heads)
        body = "".join(
            "<tr>" + "".join(f"<td{style[name]}>{html.escape(cell)}</td>" for name, cell in zip(heads, row)) + "</tr>"
            for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def profile(steps):
    """Return the table of a profile; times are in milliseconds, rates in 10^9 per second."""
    total = sum(step[3] for step in steps) or 1.0

    def row(name, op, output, seconds, operations, size):
        rate = 1e-9 / seconds if seconds else 0.0
        return {
            "name": name,
            "op": op,
            "output": output,
            "ms": seconds * 1e3,
            "share": seconds / total,
            "GFLOP/s": operations * rate,
            "GB/s": size * rate,
        }

    formats = {"ms": "{:.3f}".format, "share": "{:.1%}".format, "GFLOP/s": "{:.1f}".format, "GB/s": "{:.1f}".format}
    return Table([row(*step) for step in steps], formats)


def _operators(graph):
    return Table(
        [
            {
                "name": ", ".join(operator.outputs),
                "op": operator.op_name,
                "inputs": ", ".join(operator.inputs),
                "output": operator.type_text,
            }
            for operator in graph.operators
        ]
    )


def _ends(tensors):
    return ", ".join(f"{t.name} ({'x'.join(map(str, t.shape))} {t.dtype})" for t in tensors) or "none"


def graph_text(graph):
    """Return a graph as text: its inputs, operators and outputs."""
    parts = [f"inputs: {_ends(graph.inputs)}", str(_operators(graph)), f"outputs: {_ends(graph.outputs)}"]
    return "\n".join(part for part in parts if part)
