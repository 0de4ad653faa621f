from typing import final

from typing_extensions import TypeAlias

from tpulang import Tensor

__all__ = ["Adam", "AdamW", "Optimizer", "Schedule", "Sgd"]

_Rate: TypeAlias = float | Schedule | Tensor

@final
class Schedule:
    """A learning rate as a function of the number of completed steps."""

    @staticmethod
    def step(initial: float, factor: float, every: int) -> Schedule:
        """Multiplied by `factor` after every `every` steps."""
    @staticmethod
    def cosine(initial: float, last: float, steps: int) -> Schedule:
        """From `initial` to `last` along half a period of the cosine; `last` after `steps`."""
    @staticmethod
    def warmup(initial: float, steps: int) -> Schedule:
        """Linearly from `initial / steps` to `initial`; `initial` after `steps`."""

@final
class Optimizer:
    """A method of `Graph.minimize`: `Sgd`, `Adam` or `AdamW`."""

def Sgd(rate: _Rate, *, momentum: float = 0.0, nesterov: bool = False, weight_decay: float = 0.0) -> Optimizer:
    """Stochastic gradient descent, as PyTorch's `SGD`."""

def Adam(
    rate: _Rate = 1e-3, *, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8, weight_decay: float = 0.0
) -> Optimizer:
    """Adam, as PyTorch's."""

def AdamW(
    rate: _Rate = 1e-3, *, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8, weight_decay: float = 0.01
) -> Optimizer:
    """AdamW, as PyTorch's: Adam with decoupled weight decay."""
