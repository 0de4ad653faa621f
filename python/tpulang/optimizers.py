"""Methods of `Graph.minimize`, and learning rates."""
from tpulang._native import Adam, AdamW, Optimizer, Schedule, Sgd

__all__ = ["Adam", "AdamW", "Optimizer", "Schedule", "Sgd"]
