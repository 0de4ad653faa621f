"""The `tpulang` command: the script that pip installs, and `python -m tpulang`."""
import signal
import sys

from tpulang._native import command


def main():
    # Python's handler only takes note of Ctrl-C until the command returns. A signal that is ignored remains so.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(command(["tpulang", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
