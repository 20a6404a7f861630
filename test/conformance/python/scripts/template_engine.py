"""A small template engine: {{ name }}, {% for %}, {% if %}."""
import html
import json
import re
import sys
from pathlib import Path

TAG = re.compile(r"({{.*?}}|{%.*?%})", re.S)


def lookup(path, scope):
    value = scope
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value.get(part) if isinstance(value, dict) else getattr(value, part, None)
    return value


def render(tokens, scope, until=()):
    out = []
    while tokens:
        token = tokens.pop(0)
        if token.startswith("{{"):
            name, *filters = (part.strip() for part in token[2:-2].split("|"))
            value = lookup(name, scope)
            for each in filters:
                value = {"upper": lambda text: str(text).upper(), "length": len, "safe": lambda text: text}[each](value)
            out.append(str(value) if "safe" in filters else html.escape(str("" if value is None else value)))
        elif token.startswith("{%"):
            words = token[2:-2].split()
            if words[0] in until:
                return "".join(out), words[0]
            match words:
                case ["for", name, "in", path]:
                    body = list(tokens)
                    for item in lookup(path, scope) or [None]:
                        tokens[:] = body
                        text, _ = render(tokens, {**scope, name: item}, ("endfor",))
                        out.append(text if item is not None else "")
                case ["if", *rest]:
                    yes, end = render(tokens, scope, ("else", "endif"))
                    no = render(tokens, scope, ("endif",))[0] if end == "else" else ""
                    wanted = rest[-1]
                    out.append(yes if bool(lookup(wanted, scope)) != (rest[0] == "not") else no)
                case _:
                    raise SyntaxError(f"unknown tag {token!r}")
        else:
            out.append(token)
    if until:
        raise SyntaxError(f"missing {' or '.join(until)}")
    return "".join(out), None


try:
    print(render(TAG.split(Path(sys.argv[1]).read_text()), json.load(sys.stdin))[0], end="")
except SyntaxError as error:
    print(f"template: {error}", file=sys.stderr)
    sys.exit(1)
