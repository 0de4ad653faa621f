"""The shape of a tensor."""


class Shape(tuple):
    """A tuple that also compares with lists and is joined with them, since TpuLang's shapes are lists."""

    __slots__ = ()

    def __eq__(self, other):
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = tuple.__hash__

    def __add__(self, other):
        return Shape(tuple.__add__(self, tuple(other)))

    def __radd__(self, other):
        return Shape(tuple(other) + tuple(self))

    def __getitem__(self, index):
        found = tuple.__getitem__(self, index)
        return Shape(found) if isinstance(index, slice) else found
