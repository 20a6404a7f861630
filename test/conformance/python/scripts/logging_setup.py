"""Configure logging from a dictionary and run a job that warns and fails."""
import argparse
import logging
import logging.config
import logging.handlers
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("-v", "--verbose", action="count", default=0)
parser.add_argument("--fail", action="store_true")
args = parser.parse_args()

logging.config.dictConfig({
    "version": 1,
    "formatters": {"short": {"format": "{levelname:<8}|{name}|{message}", "style": "{"}, "file": {"format": "%(levelno)d %(funcName)s:%(lineno)d %(message)s"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "formatter": "short", "stream": "ext://sys.stderr"},
        "file": {"class": "logging.FileHandler", "formatter": "file", "filename": "job.log", "mode": "w", "encoding": "utf-8"},
    },
    "root": {"level": max(logging.WARNING - 10 * args.verbose, logging.DEBUG), "handlers": ["console", "file"]},
    "disable_existing_loggers": False,
})
log = logging.getLogger("job.part")


class NoPasswords(logging.Filter):
    def filter(self, record):
        record.msg = str(record.msg).replace("hunter2", "***")
        return True


log.addFilter(NoPasswords())


def job():
    log.debug("starting %s", {"n": 1})
    log.info("login hunter2")
    log.warning("low on %s: %d %%", "päper", 5)
    log.log(35, "custom level")
    try:
        return [][1]
    except IndexError:
        log.exception("step failed", stack_info=False)
    log.error("bad format %d", "x") if args.fail else None


job()
memory = logging.handlers.MemoryHandler(10, target=logging.StreamHandler(sys.stdout))
quiet = logging.getLogger("quiet")
quiet.propagate = False
quiet.addHandler(memory)
quiet.warning("buffered")
print("before the flush")
memory.flush()
print(logging.getLevelName(35), log.getEffectiveLevel(), log.isEnabledFor(logging.DEBUG), log.parent)
logging.shutdown()
sys.exit(3 if args.fail else 0)
