"""TpuLang's globals."""
from tpulang import _native


class _Globals(type):
    """Makes the globals attributes of the class `TpuLang`."""

    @property
    def graph(cls):
        """The default graph."""
        return _native.get_default_graph()

    @graph.setter
    def graph(cls, graph):
        _native.reset_default_graph(graph)

    @property
    def chip(cls):
        """The chip of `init`, in lower case."""
        return _native.get_chip()

    @chip.setter
    def chip(cls, chip):
        _native.set_chip(chip)

    @property
    def device(cls):
        """Always None, as in TpuLang."""
        return None


class TpuLang(metaclass=_Globals):
    """TpuLang's globals: ``TpuLang.graph`` and ``TpuLang.chip``. An instance begins a network, like `init`."""

    def __init__(self, device):
        _native.init(device)


def reset_graph(graph=None):
    """Drop the data that the inputs of the default graph, or of another one, were declared with.

    >>> import tpulang as tpul
    >>> tpul.init("BM1684X")
    >>> tpul.reset_graph()
    """
    graph = graph or _native.get_default_graph()
    if graph is not None:
        graph.reset()
