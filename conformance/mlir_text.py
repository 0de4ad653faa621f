"""Parses canonical Top MLIR, to compare two texts regardless of numbering and generated names."""
import re


class Op:
    __slots__ = ("results", "name", "operands", "attrs", "ins", "outs", "locs", "line")

    def key(self):
        return (self.name, self.attrs, self.ins, self.outs)


def _location_names(text):
    raw = dict(re.findall(r"^(#loc\d*) = loc\((.*)\)$", text, re.M))

    def names(s, seen=()):
        s = s.strip()
        if s.startswith("fused"):
            s = s[s.index("["):]
        out = []
        for m in re.finditer(r'"((?:[^"\\]|\\.)*)"|(#loc\d*)', s):
            if m.group(1) is not None:
                out.append(m.group(1))
            elif m.group(2) in raw and m.group(2) not in seen:
                out += names(raw[m.group(2)], seen + (m.group(2), ))
        return out

    return names


def parse(text):
    """Return the module attributes without FLOPs and weight file, the signature of main, and [Op]."""
    names = _location_names(text)
    module, function, ops = [], "", []
    for line in text.splitlines():
        s = line.strip()
        if s.startswith("module"):
            m = re.search(r"attributes \{(.*)\}", s)
            attrs = re.split(r", (?=module\.)", m.group(1)) if m else []
            module = sorted(x for x in attrs if not x.startswith(("module.FLOPs", "module.weight_file")))
        elif s.startswith("func.func"):
            function = re.sub(r" loc\([^()]*(\([^()]*\))?[^()]*\)", "", s)
        else:
            m = re.match(r'(?:(%\w+(?::\d+)?(?:, %\w+(?::\d+)?)*) = )?("[\w.]+"|return|func\.return)', s)
            if m and not s.startswith("#loc"):
                ops.append(_op(s, m, names))
    return module, function, ops


def _op(s, m, names):
    o = Op()
    o.line = s
    o.results = []
    for x in (m.group(1) or "").split(", "):
        base, _, count = x.partition(":")
        o.results += ["%s#%d" % (base, i) for i in range(int(count))] if count else [base] if base else []
    o.name = m.group(2).strip('"')
    body = s[m.end():]
    at = body.rfind(" loc(")
    o.locs = names(body[at + 5:-1]) if at >= 0 else []
    body = body[:at] if at >= 0 else body
    if o.name.endswith("return"):
        head, _, o.ins = body.partition(" : ")
        o.name, o.attrs, o.outs = "return", "", ""
        o.operands = re.findall(r"%[\w]+(?:#\d+)?", head)
        return o
    end = body.index(")")
    o.operands = re.findall(r"%[\w]+(?:#\d+)?", body[:end])
    rest = body[end + 1:]
    at = rest.rfind(" : (")
    # TpuLang omits yuv_type, but model_deploy fails without it.
    o.attrs = rest[:at].strip().replace(', yuv_type = ""', "")
    o.ins, _, o.outs = rest[at + 3:].partition(" -> ")
    return o


def _flat(ops):
    """Return the ops except weights and None; operands become ('op', i, k), ('w', name, type, attrs) or 'none'."""
    value, out = {}, []
    for o in ops:
        if o.name == "top.Weight":
            value[o.results[0]] = ("w", o.locs[0] if o.locs else "", o.outs, o.attrs)
        elif o.name == "top.None":
            value[o.results[0]] = ("none", )
        else:
            out.append((o, [value.get(x, ("arg", x)) for x in o.operands]))
            for k, x in enumerate(o.results):
                value[x] = ("op", len(out) - 1, k)
    return out


def difference(peer, ours, given_names):
    """Return the difference or None, and {peer's name: our name}; names from the graph must be equal."""
    (ma, fa, oa), (mb, fb, ob) = parse(peer), parse(ours)
    renamed = {}

    def same_names(x, y):
        if len(x) != len(y):
            return False
        for p, q in zip(x, y):
            if p == q:
                renamed.setdefault(p, q)
            elif p in given_names or renamed.setdefault(p, q) != q:
                return False
        return True

    def same_operands(pr, qr):
        for u, v in zip(pr, qr):
            if u[0] == v[0] == "w":
                if u[2:] != v[2:] or not same_names([u[1]], [v[1]]):
                    return False
            elif u != v:
                return False
        return len(pr) == len(qr)

    if ma != mb:
        return "module attributes: %s <> %s" % (ma, mb), renamed
    if fa != fb:
        return "signature: %s <> %s" % (fa[:300], fb[:300]), renamed
    xa, xb = _flat(oa), _flat(ob)
    for (p, pr), (q, qr) in zip(xa, xb):
        if not (p.key() == q.key() and same_names(p.locs, q.locs) and same_operands(pr, qr)):
            return "%s %s <> %s %s" % (p.line[:300], p.locs, q.line[:300], q.locs), renamed
    if len(xa) != len(xb):
        return "the peer has %d ops, we %d" % (len(xa), len(xb)), renamed
    return None, renamed


def types(text):
    """Return the type of each named value."""
    found = {}
    for o in parse(text)[2]:
        outs = re.findall(r"tensor<[^<>]*(?:<[^<>]*>)?[^<>]*>|none", o.outs)
        if len(outs) != len(o.locs):
            outs = [x for x in outs if x != "none"]
        found.update(zip(o.locs, outs))
    return found


def output_names(text):
    """Return the names of the values that the module returns."""
    ops = parse(text)[2]
    names = {r: n for op in ops for r, n in zip(op.results, op.locs)}
    return [names[x] for x in next(op for op in ops if op.name == "return").operands if x in names]
