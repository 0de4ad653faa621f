#!/usr/bin/env python3
"""Compares the preprocessing of `tpulang run` with TPU-MLIR's on random images and settings.

    preprocess.py --bin TPULANG [--seed N] [--count N]

Images are PNG and BMP, which all decoders read alike, so results must be equal. Exits 1 if they are not, or if the tool chain
refuses more than one in 20.
"""
import argparse
import json
import logging
import os
import random
import sys
import tempfile

import numpy as np
import tpu_mlir  # sets the paths of what follows
import cv2
from tpu_mlir.python.utils.preprocess import preprocess

from peer import call

logging.disable(logging.CRITICAL)
CHANNELS = {"rgb": 3, "bgr": 3, "gray": 1, "rgba": 4}


def settings(r):
    h, w = r.randint(1, 40), r.randint(1, 40)
    how = {"pixel_format": r.choice(list(CHANNELS)), "channel_format": r.choice(["nchw", "nhwc"]),
           "mean": [r.choice([0.0, 127.5, 103.94]) for _ in range(4)], "scale": [r.choice([1.0, 0.017, 0.00392]) for _ in range(4)]}
    if how["pixel_format"] != "rgba":
        # tpu_mlir broadcasts all values.
        how["mean"], how["scale"] = how["mean"][:3], how["scale"][:3]
    if r.random() < 0.4:
        how["resize_dims"] = [h + r.randint(0, 9), w + r.randint(0, 9)]
    # tpu_mlir letterboxes only images with 1 or 3 channels.
    if r.random() < 0.5 and how["pixel_format"] != "rgba":
        how.update(keep_aspect_ratio=True, keep_ratio_mode=r.choice(["letterbox", "short_side_scale"]),
                   pad_value=r.choice([0, 114]), pad_type=r.choice(["center", "normal"]))
    c = CHANNELS[how["pixel_format"]]
    n = r.randint(1, 2)
    return how, [n, c, h, w] if how["channel_format"] == "nchw" else [n, h, w, c]


def theirs(how, shape, image):
    p = preprocess()
    numbers = lambda key: ",".join(str(v) for v in how[key])
    p.config(resize_dims=how.get("resize_dims"), keep_aspect_ratio=how.get("keep_aspect_ratio", False),
             keep_ratio_mode=how.get("keep_ratio_mode", "letterbox"), mean=numbers("mean"), scale=numbers("scale"),
             pixel_format=how["pixel_format"], channel_format=how["channel_format"], pad_type=how.get("pad_type", "center"),
             pad_value=how.get("pad_value", 0), input_shapes=[shape])
    return p.run(image)


def ours(tpulang, how, shape, image, work):
    spec = {"version": 1, "name": "net", "tensors": {"x": {"shape": shape, "preprocess": how}}, "inputs": ["x"],
            "ops": [{"op": "reshape", "args": {"tensor": "x", "new_shape": [-1]}, "out": "y"}], "outputs": ["y"]}
    path, out = os.path.join(work, "net.json"), os.path.join(work, "out.npz")
    json.dump(spec, open(path, "w"))
    code, text = call(tpulang, "run", path, "-i", image, "-o", out)
    return text if code else np.load(out)["y"].reshape(shape)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_args()
    r, bad, refused = random.Random(args.seed), 0, 0
    for i in range(args.count):
        how, shape = settings(r)
        with tempfile.TemporaryDirectory() as work:
            image = os.path.join(work, "image" + r.choice([".png", ".bmp"] if how["pixel_format"] != "rgba" else [".png"]))
            # OpenCV's decoders convert color to gray in different ways.
            channels = {"rgba": 4, "gray": 1}.get(how["pixel_format"], 3)
            size = (r.randint(1, 60), r.randint(1, 60), channels)
            assert cv2.imwrite(image, np.random.RandomState(i).randint(0, 256, size).astype(np.uint8))
            try:
                expected = theirs(how, shape, image)
            except cv2.error:
                # It resizes images to a width or height of 0.
                refused += 1
                continue
            found = ours(args.bin, how, shape, image, work)
            if isinstance(found, str) or not np.array_equal(found, expected.astype(np.float32)):
                bad += 1
                print("%d: image %s, input %s, %s: %s" % (i, size, shape, json.dumps(how),
                      found if isinstance(found, str) else np.abs(found - expected).max()))
    print("%d settings: %d equal, %d differ, the tool chain refuses %d" % (args.count, args.count - bad - refused, bad, refused))
    return bad > 0 or refused > args.count // 20 or args.count < 1


sys.exit(main())
