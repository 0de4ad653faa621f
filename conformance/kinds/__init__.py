"""Generators of random graphs, a file for each family of functions; KINDS has them all by name. OTHER_TEXT says of some why
their text is another than the peer's on purpose: of these only the numbers of the outputs are compared. REFUSED_BY_PEER says of
some which share of their graphs the peer may refuse although tpulang accepts them, and why it does."""
import importlib
import pkgutil


def _gather():
    kinds, family_of, other_text, refused = {}, {}, {}, {}
    for _, family, _ in pkgutil.iter_modules(__path__):
        module = importlib.import_module("%s.%s" % (__name__, family))
        other_text.update(getattr(module, "OTHER_TEXT", {}))
        refused.update(getattr(module, "REFUSED_BY_PEER", {}))
        for name, build in module.KINDS.items():
            if name in kinds:
                raise ValueError("kind %s: both %s and %s have it" % (name, family_of[name], family))
            kinds[name], family_of[name] = build, family
    return kinds, other_text, refused


KINDS, OTHER_TEXT, REFUSED_BY_PEER = _gather()
