"""The environment of the tests."""
import signal

import pytest

# A shell starts commands in the background with Ctrl-C ignored, and the tests that send it would wait forever.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_ci(monkeypatch):
    """Where CI is set, golden files are not written; the tests write theirs to temporary folders."""
    monkeypatch.delenv("CI", raising=False)
