"""The program ``taffeta``, as the console script of the package."""

import signal
import sys

from ._taffeta import run_program


def main() -> int:
    """Runs the program with the arguments of the command line."""
    # The program has handlers of its own; Python would end a run with a traceback after its checkpoint.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["taffeta", *sys.argv[1:]])
