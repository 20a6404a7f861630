"""Log to stderr with the defaults of the module."""
import logging
import sys

logging.warning("before the configuration: %r", "ü")
logging.basicConfig(level=logging.DEBUG)  # Has no effect: a handler exists.
logging.info("not shown")
logging.basicConfig(level=logging.INFO, format="%(levelname)s %(module)s.%(funcName)s %(message)s", force=True)
logging.info("shown")
logging.getLogger("a.b").critical("deep", extra={"x": 1})
logging.captureWarnings(True)
adapter = logging.LoggerAdapter(logging.getLogger("adapter"), {"user": "ana"})
adapter.info("hello from %s", adapter.extra["user"])
try:
    raise ValueError("bad")
except ValueError:
    logging.error("with the traceback", exc_info=True)
logging.disable(logging.ERROR)
logging.error("disabled")
print("done", file=sys.stdout)
