"""Errors that can only be reported: in finalizers, callbacks and at exit."""
import atexit
import gc
import sys


class Broken:
    def __del__(self):
        raise ValueError("in __del__")


def fails_at_exit():
    print("at exit")
    raise RuntimeError("at exit")


atexit.register(print, "still runs")
atexit.register(fails_at_exit)
sys.unraisablehook = lambda info: print("unraisable:", type(info.exc_value).__name__, info.exc_value)
Broken()
gc.collect()
sys.excepthook = lambda kind, error, trace: print(f"hook: {kind.__name__}: {error} at line {trace.tb_lineno}")
raise KeyError("unhandled")
