"""Generates random networks together with their reference values. Each family of functions has a file with the reference
implementations in PyTorch and the steps that add calls to a network."""
from . import control, elementwise, images, integers, layout, sequences
from .network import Network

FLOATS = {**elementwise.STEPS, **images.STEPS, **sequences.STEPS, **layout.STEPS, **control.STEPS}
# Integers need the concat step that passes scales.
INTEGERS = {**integers.STEPS, **{step: w for step, w in layout.STEPS.items() if step not in (layout.concat_step, layout.of_constants)}}


def generate(seed, most=200):
    """Generates the network of a seed, with 20 to `most` operators, or fewer if no step fits any longer."""
    n = Network(seed)
    if n.chance(0.2):
        n.mode = "quantized"
    elif n.chance(0.1):
        n.float = "float16"
    dtypes = ["int8", "int8", "uint8"] if n.mode == "quantized" else ["float32"]
    for _ in range(n.random.randint(1, 3)):
        n.input(first_shape(n), n.choice(dtypes))
    steps = INTEGERS if n.mode == "quantized" else FLOATS
    # Weights differ by network, so that some consist of only a few kinds of steps.
    weights = [weight * n.choice([0, 0.3, 1, 1, 3]) for weight in steps.values()]
    operators, failures = int(20 * (most / 20) ** n.random.random()), 0
    while len(n.ops) < operators and failures < 300:
        fitted = n.attempt(n.random.choices(list(steps), weights)[0]) if any(weights) else False
        failures = 0 if fitted else failures + 1
        if failures == 100:
            weights = list(steps.values())
    return n


def first_shape(n):
    size = lambda: n.choice([1, 2, 3, 4, 5, 7, 8, 10, 14])
    batch = n.choice([1, 1, 2, 3])
    return n.choice([
        lambda: [batch, n.choice(images.CHANNELS), size(), size()],
        lambda: [batch, n.choice(images.CHANNELS), size(), size()],
        lambda: [batch, n.random.randint(1, 20), n.choice([1, 8, 16, 24, 33])],
        lambda: [size(), size()],
        lambda: [batch, n.choice([1, 2, 3]), n.random.randint(1, 4), n.random.randint(1, 5), n.random.randint(1, 5)],
        lambda: [n.random.randint(1, 40)],
    ])()
