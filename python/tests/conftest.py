"""The environment of the tests."""
import pytest


@pytest.fixture(autouse=True)
def no_ci(monkeypatch):
    """Where CI is set, golden files are not written; the tests write theirs to temporary folders."""
    monkeypatch.delenv("CI", raising=False)
