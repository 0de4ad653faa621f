#!/usr/bin/env python3
"""Runs tpuc-opt on modules and writes the results next to them; exits 1 if one is rejected.

    accept.py NAME_origin.mlir...
"""
import os
import sys

from peer import ToolChain

if len(sys.argv) < 2:
    sys.exit("usage: accept.py NAME_origin.mlir...")
chain, failed = ToolChain(), 0
for path in sys.argv[1:]:
    folder, name = os.path.split(os.path.abspath(path))
    out = name.replace("_origin.mlir", ".mlir")
    rc, text = chain.canonicalize(folder, name, out)
    failed += rc != 0
    print("%s: %s" % (path, "refused: " + text[-300:] if rc else "accepted by tpuc-opt: " + os.path.join(os.path.dirname(path), out)))
sys.exit(1 if failed else 0)
