"""Write JSON from stdin as YAML, for readers of configuration files."""
import json
import re
import sys

PLAIN = re.compile(r"[A-Za-z_./][\w ./-]*(?<! )")
RESERVED = {"true", "false", "null", "yes", "no", "on", "off", "~"}


def scalar(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if PLAIN.fullmatch(value) and value.lower() not in RESERVED:
        return value
    return json.dumps(value, ensure_ascii=False)


def emit(value, indent=0):
    pad = "  " * indent
    match value:
        case {} if not value:
            yield f"{pad}{{}}"
        case dict():
            for key, inner in value.items():
                if isinstance(inner, (dict, list)) and inner:
                    yield f"{pad}{scalar(key)}:"
                    yield from emit(inner, indent + 1)
                elif isinstance(inner, str) and "\n" in inner:
                    yield f"{pad}{scalar(key)}: |{'-' if not inner.endswith(chr(10)) else ''}"
                    yield from (f"{pad}  {line}" for line in inner.splitlines())
                else:
                    yield f"{pad}{scalar(key)}: {next(emit(inner))}"
        case [] if not value:
            yield f"{pad}[]"
        case list():
            for inner in value:
                first, *rest = emit(inner, indent + 1)
                yield f"{pad}- {first.lstrip()}"
                yield from rest
        case _:
            yield pad + scalar(value)


print("\n".join(emit(json.load(sys.stdin))))
