"""Calibrates a network on many machines with Ray.

    pip install ray
    python calibrate_ray.py MODEL --data FOLDER --parts 8 -o TABLE [calibrate's options]

Each part of the samples is a task, which runs `tpulang calibrate --shard`. A part's statistics appear when it is complete, so Ray
repeats the part of a worker that dies. At the end the parts are merged: the table is that of a single process, bit for bit.
"""
import argparse
import os
import signal
import subprocess
import tempfile

import ray


def calibrate(*args):
    subprocess.run([os.environ.get("TPULANG", "tpulang"), "calibrate", *args], check=True)


@ray.remote(max_retries=3)
def part(model, data, index, parts, die_once=None):
    """Return the statistics of a part of the samples."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "part.json")
        shard = "%d/%d" % (index, parts)
        if die_once and not os.path.exists(die_once):
            # For tests: the worker is killed while its part is running.
            running = subprocess.Popen([os.environ.get("TPULANG", "tpulang"), "calibrate", model, "--data", data,
                                        "--shard", shard, "--statistics", path])
            open(die_once, "w").close()
            running.kill()
            os.kill(os.getpid(), signal.SIGKILL)
        calibrate(model, "--data", data, "--shard", shard, "--statistics", path)
        with open(path, "rb") as file:
            return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--data", required=True)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--die-once", metavar="FILE", help="kill the first worker, and create FILE")
    args, options = parser.parse_known_args()
    model, data = os.path.abspath(args.model), os.path.abspath(args.data)
    ray.init(log_to_driver=False)
    tasks = [part.remote(model, data, i + 1, args.parts, args.die_once if i == 0 else None) for i in range(args.parts)]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, statistics in enumerate(ray.get(tasks)):
            files.append(os.path.join(folder, "%d.json" % (i + 1)))
            with open(files[-1], "wb") as file:
                file.write(statistics)
        calibrate(model, "--data", data, *options, "-o", args.output, "--merge", *files)
    ray.shutdown()


if __name__ == "__main__":
    main()
