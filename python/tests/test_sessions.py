"""Sessions: threads, signals, memory."""
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import tpulang


def network():
    g = tpulang.Graph("net")
    x = g.input("x", (4, 8))
    w = g.coefficient("w", np.ones((8, 8), "float32"))
    g.outputs = [(x @ w).relu(out_name="y")]
    return g


def endless():
    """Return a session whose run takes minutes."""
    g = tpulang.Graph("endless")
    x = g.input("x", (1,))
    g.outputs = g.while_loop(x, lambda v: v > 0.0, lambda v: v + 0.0)
    return tpulang.Session(g, max_iterations=10**12)


def test_runs():
    session = tpulang.Session(network())
    x = np.full((4, 8), 2, "float32")
    assert (session.run({"x": x})["y"] == 16).all()
    assert (session.run([x])["y"] == 16).all()
    assert (session.run(x)["y"] == 16).all()
    assert (session.fetch({"x": -x}, ["y"])["y"] == 0).all()
    assert len(session.profile({"x": x}, runs=2)) >= 1
    assert "<table>" in session.profile({"x": x})._repr_html_()
    assert session.inputs[0].name == "x" and session.outputs[0].shape == (4, 8)
    for feeds in ({}, {"z": x}, {"x": x[:2]}, [], [x, x], {"x": x.astype("int32")}, {"x": None}, {"x": [["a"]]}):
        with pytest.raises((tpulang.Error, TypeError, ValueError)):
            session.run(feeds)


def test_threads_share_a_session():
    session, failures = tpulang.Session(network()), []

    def work(i):
        for _ in range(50):
            y = session.run({"x": np.full((4, 8), i, "float32")})["y"]
            if not (y == 8 * i).all():
                failures.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert failures == []


def test_a_run_releases_the_lock():
    session = endless()
    ran = threading.Thread(target=lambda: pytest.raises(tpulang.Error, session.run, {"x": [1.0]}), daemon=True)
    ran.start()
    counted = 0
    end = time.monotonic() + 0.3
    while time.monotonic() < end:
        counted += 1
    assert ran.is_alive() and counted > 1000
    # Ctrl-C ends the session's runs in other threads, too.
    with pytest.raises(KeyboardInterrupt):
        interrupted(session)
    ran.join(10)
    assert not ran.is_alive()


def interrupted(session):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    session.run({"x": [1.0]})


def test_ctrl_c_ends_a_run_and_the_session_stays_usable():
    session = endless()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupted(session)
    assert time.monotonic() - begun < 30
    assert session.run({"x": [-1.0]}) != {}


def test_a_forked_process_is_told_to_make_its_own_session():
    session, feed = tpulang.Session(network()), {"x": np.ones((4, 8), "float32")}
    session.run(feed)
    child = os.fork()
    if child == 0:
        try:
            session.run(feed)
        except tpulang.Error as error:
            made = tpulang.Session(network()).run(feed)["y"]
            os._exit(0 if "forked" in str(error) and (made == 8).all() else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


def test_a_signal_handler_may_run_a_session():
    session, results = tpulang.Session(network()), []
    feed = {"x": np.ones((4, 8), "float32")}

    def handle(*_):
        results.append(session.run(feed)["y"])
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, handle)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(endless())
    finally:
        signal.signal(signal.SIGINT, before)
    assert (results[0] == 8).all()


def memory():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


def test_nothing_leaks():
    def once():
        g = network()
        tpulang.init("BM1684X")
        x = tpulang.Tensor([4, 8], data=np.ones((4, 8), "float32"))
        tpulang.relu(x)
        tpulang.deinit()
        return tpulang.Session(g, threads=1)

    session, feed = once(), {"x": np.ones((4, 8), "float32")}

    def work(graphs, runs):
        for _ in range(graphs):
            network()
        for _ in range(graphs // 20):
            once()
        for _ in range(runs):
            session.run(feed)
            with pytest.raises(tpulang.Error):
                session.run({"z": 1})

    work(2000, 2000)
    before = memory()
    work(10_000, 10_000)
    # 10,000 graphs with their weights would be far more.
    assert memory() - before < 8 << 20
    array = np.ones((8, 8), "float32")
    references = sys.getrefcount(array)
    g = tpulang.Graph("g")
    g.coefficient("w", array)
    del g
    gc.collect()
    assert sys.getrefcount(array) == references


def test_a_process_ends_while_a_session_lives():
    code = "import numpy as np, tpulang\ng = tpulang.Graph('g')\nx = g.input('x', (2,))\ng.outputs = [x.relu()]\ns = tpulang.Session(g)\nr = s.run([np.ones(2, 'float32')])\nprint('done')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "done\n", "")


def test_the_command():
    shown = subprocess.run([sys.executable, "-m", "tpulang", "--version"], capture_output=True, text=True)
    assert shown.stdout == f"tpulang {tpulang.__version__}\n"
    wrong = subprocess.run([sys.executable, "-m", "tpulang", "check", "missing.json"], capture_output=True, text=True)
    assert wrong.returncode == 2 and "missing.json" in wrong.stderr


def test_numpy_is_imported_when_it_is_needed():
    code = "import sys, tpulang; tpulang.Graph('g').input('x', (2, 3)).reshape([3, 2]); print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"


def test_other_tensors_are_fed_and_fetched():
    g = tpulang.Graph("net")
    x, z = g.input("x", [2]), g.input("z", [2])
    h = x.exp(out_name="h")
    a = h.add(1.0, out_name="a")
    g.outputs = [a.add(z, out_name="y")]
    session = tpulang.Session(g, fed=[h], fetched=["a"])
    assert [info.name for info in session.inputs] == ["h"] and [info.name for info in session.outputs] == ["a"]
    assert "Exp" not in session.explain()
    assert session.run([[5, 6]])["a"].tolist() == [6, 7]
    assert g.run({"x": [0, 0]}, fed=["x"], fetched="h".split())["h"].tolist() == [1, 1]
    assert tpulang.Session(g, weight_budget=0).run([[0, 0], [1, 1]])["y"].tolist() == [3, 3]
    with pytest.raises(tpulang.Error, match='unknown input "hh"'):
        tpulang.Session(g, fed=["hh"])
    with pytest.raises(tpulang.Error, match="weight_budget is -1"):
        tpulang.Session(g, weight_budget=-1)


def test_recorded_results_are_not_fed():
    g = tpulang.Graph("g")
    x = g.input("x", (2,))
    h = x.exp(out_name="h")
    y = g.add(h, 1.0, out_name="y")
    g.outputs = [y]
    recorded = {"x": [0, 0], "y": [5, 5]}
    with pytest.raises(tpulang.Error, match='the array fed to "y": it is computed from the inputs, which are fed too'):
        g.run(recorded)
    with pytest.raises(tpulang.Error, match='the array fed to "y": it leaves nothing to compute'):
        g.run({"y": [5, 5]})
    with pytest.raises(tpulang.Error, match="leaves nothing to compute"):
        tpulang.Session(g, fed=["y"])
    assert g.run({"h": [1, 2]})["y"].tolist() == [2, 3]
    assert g.run({"x": [0, 0], "h": [1, 2]}, fed=["x", "h"])["y"].tolist() == [2, 3]


def test_variables_take_lists_and_keep_their_values():
    g = tpulang.Graph("g")
    x = g.input("x", (2,))
    w = g.coefficient("w", np.array([1, 2], np.float32))
    step = g.coefficient("step", np.array([0], np.int32))
    g.assign(w, w * 2)
    g.assign(step, step + step)
    g.outputs = [x + w]
    session = tpulang.Session(g)
    session.set_variable("step", [3])
    session.measure({"x": [1, 1]}, 3)
    assert session.variables["step"].tolist() == [3] and session.variables["w"].tolist() == [1, 2]
    session.run({"x": [1, 1]})
    assert session.variables["step"].tolist() == [6] and session.variables["w"].tolist() == [2, 4]
