#!/usr/bin/env python3
"""Trains the network of examples/digits.rs with PyTorch, from the same weights on the same batches, and compares the losses of the
first epoch, and the accuracies.

    digits.py --example PROGRAM [--folder FOLDER]

PROGRAM is the built example. Needs Python with PyTorch.
"""
import argparse
import contextlib
import pathlib
import sys
import tempfile
import time

import numpy as np
import torch
from torch.nn import functional as F

from peer import checked

ROOT = pathlib.Path(__file__).resolve().parent.parent
BATCH, TRAINING, EPOCHS = 64, 1437, 20
# Rounding errors grow with the steps: the losses of the first epoch agree to this, and the accuracies to one image in a hundred.
FIRST_EPOCH = 1e-4
ACCURACY = 0.01


class Numbers:
    """The generator of the example."""

    def __init__(self, seed):
        self.state = seed

    def below(self, end):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % end

    def order(self, count):
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order


def logits(w, images):
    h = F.max_pool2d(F.relu(F.conv2d(images, w["w1"], w["b1"], padding=1)), 2)
    h = F.max_pool2d(F.relu(F.conv2d(h, w["w2"], w["b2"], padding=1)), 2)
    return h.reshape(len(images), 128) @ w["w3"] + w["b3"]


def train(initial, images, labels):
    """Return the loss of each step and the accuracy."""
    w = {n: torch.from_numpy(initial[n]).clone().requires_grad_() for n in ("w1", "b1", "w2", "b2", "w3", "b3")}
    optimizer = torch.optim.Adam(w.values(), lr=2e-3)
    losses = []
    for epoch in range(EPOCHS):
        order = Numbers(epoch).order(TRAINING)
        for first in range(0, TRAINING - BATCH + 1, BATCH):
            chosen = order[first:first + BATCH]
            optimizer.zero_grad()
            loss = F.cross_entropy(logits(w, images[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    with torch.no_grad():
        correct = (logits(w, images[TRAINING:]).argmax(1) == labels[TRAINING:]).float().mean().item()
    return np.array(losses), correct


def judge(example, folder):
    begun = time.time()
    said = checked(example, folder, limit=1800)
    ours_took = time.time() - begun
    accuracy = float(said.split()[-1])
    ours = np.load(folder / "training.npz")
    digits = np.load(ROOT / "examples" / "digits" / "digits.npz")
    begun = time.time()
    losses, theirs = train(ours, torch.from_numpy(digits["images"]).float() / 16, torch.from_numpy(digits["labels"]).long())
    took = time.time() - begun
    steps = TRAINING // BATCH
    first = np.abs(ours["losses"][:steps] - losses[:steps]).max()
    print("accuracy %.4f in %.1f s; PyTorch: %.4f in %.1f s; first epoch's losses differ by %.2g, the last losses are %.4f and %.4f"
          % (accuracy, ours_took, theirs, took, first, ours["losses"][-1], losses[-1]))
    problems = [] if first < FIRST_EPOCH else ["the losses of the first epoch differ by more than %g" % FIRST_EPOCH]
    problems += [] if accuracy > theirs - ACCURACY else ["the accuracy is more than %g below PyTorch's" % ACCURACY]
    print("FAIL: " + "; ".join(problems) if problems else "passed")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--example", required=True)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        return judge(arguments.example, pathlib.Path(arguments.folder or stack.enter_context(tempfile.TemporaryDirectory())))


if __name__ == "__main__":
    sys.exit(main())
