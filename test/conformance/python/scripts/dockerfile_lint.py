"""Lint a Dockerfile with a handful of rules."""
import json
import re
import shlex
import sys

LEVELS = {"E": "error", "W": "warning"}


def instructions(text):
    pending, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        start = start if pending else number
        pending += stripped.removesuffix("\\") + " "
        if not stripped.endswith("\\"):
            name, _, rest = pending.strip().partition(" ")
            yield start, name.upper(), rest.strip()
            pending = ""


def rules(items):
    if not items or items[0][1] not in ("FROM", "ARG"):
        yield 1, "E001", "the first instruction is not FROM"
    user = "root"
    for line, name, rest in items:
        match name:
            case "FROM" if re.search(r":latest\b|^[^:@\s]+(\s|$)", rest):
                yield line, "W002", f"the image {rest.split()[0]} is not pinned"
            case "RUN" if "apt-get install" in rest and "-y" not in shlex.split(rest):
                yield line, "E003", "apt-get install without -y"
            case "RUN" if re.search(r"\bsudo\b", rest):
                yield line, "W004", "sudo"
            case "ADD" if not rest.startswith(("http://", "https://")):
                yield line, "W005", "COPY is enough"
            case "CMD" | "ENTRYPOINT" if not rest.startswith("["):
                yield line, "W006", "use the JSON form"
            case "CMD" | "ENTRYPOINT":
                try:
                    json.loads(rest)
                except json.JSONDecodeError as error:
                    yield line, "E007", f"not JSON: {error}"
            case "USER":
                user = rest
            case "MAINTAINER":
                yield line, "W008", "deprecated"
    if user == "root":
        yield items[-1][0] if items else 1, "W009", "runs as root"


found = sorted(rules(list(instructions(sys.stdin.read()))))
for line, code, text in found:
    print(f"{line}: {LEVELS[code[0]]} {code}: {text}")
sys.exit(any(code.startswith("E") for _, code, _ in found))
