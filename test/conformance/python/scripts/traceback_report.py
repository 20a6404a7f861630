"""Format tracebacks in several ways, with notes, causes and groups."""
import linecache
import sys
import traceback


class ConfigError(Exception):
    def __str__(self):
        return f"config: {self.args[0]}"


def parse(text):
    return int(text)


def load(text):
    try:
        return parse(text)
    except ValueError as error:
        error.add_note("while reading line 3")
        raise ConfigError("port") from error


try:
    load("http")
except ConfigError as error:
    print(traceback.format_exc())
    print(traceback.format_exception_only(error))
    summary = traceback.extract_tb(error.__traceback__)
    print([(frame.name, frame.lineno, frame.line) for frame in summary])
    print(type(error.__cause__).__name__, error.__suppress_context__, error.__cause__.__notes__)
try:
    raise ExceptionGroup("several", [ValueError("a"), TypeError("b"), ExceptionGroup("inner", [KeyError("c")])])
except* ValueError as group:
    print("values:", group.exceptions)
except* (TypeError, KeyError) as group:
    traceback.print_exception(group, file=sys.stdout)
captured = traceback.TracebackException.from_exception(ZeroDivisionError("x"), capture_locals=True)
print("".join(captured.format()), end="")
print(linecache.getline(__file__, 1), end="")


def deep(n):
    return deep(n - 1) if n else 1 / 0


try:
    deep(30)
except ZeroDivisionError:
    traceback.print_exc(limit=-3)
traceback.print_stack(limit=1)
