"""Generators of random graphs, one file per family of functions. KINDS has all of them by name. OTHER_TEXT gives the reason
why a kind's text differs from the peer's on purpose; only output values are compared for these."""
import importlib
import pkgutil


def _gather():
    kinds, family_of, other_text = {}, {}, {}
    for _, family, _ in pkgutil.iter_modules(__path__):
        module = importlib.import_module("%s.%s" % (__name__, family))
        other_text.update(getattr(module, "OTHER_TEXT", {}))
        for name, build in module.KINDS.items():
            if name in kinds:
                raise ValueError("kind %s: both %s and %s have it" % (name, family_of[name], family))
            kinds[name], family_of[name] = build, family
    return kinds, other_text


KINDS, OTHER_TEXT = _gather()
