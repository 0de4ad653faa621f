"""Generators of random graphs, a file for each family of functions; KINDS has them all by name."""
import importlib
import pkgutil


def _gather():
    kinds, family_of = {}, {}
    for _, family, _ in pkgutil.iter_modules(__path__):
        for name, build in importlib.import_module("%s.%s" % (__name__, family)).KINDS.items():
            if name in kinds:
                raise ValueError("kind %s: both %s and %s have it" % (name, family_of[name], family))
            kinds[name], family_of[name] = build, family
    return kinds


KINDS = _gather()
