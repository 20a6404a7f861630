"""Fill a template on stdin with environment variables."""
import os
import string
import sys


class Strict(string.Template):
    delimiter = "%"
    idpattern = r"[A-Z_][A-Z0-9_]*"


text = sys.stdin.read()
used = {name for name in (m["named"] or m["braced"] for m in Strict.pattern.finditer(text)) if name}
missing = sorted(used - os.environ.keys())
if "--check" in sys.argv:
    print(f"{len(used)} used, missing: {', '.join(missing) or 'none'}")
    sys.exit(len(missing))
try:
    sys.stdout.write(Strict(text).substitute(os.environ))
except (KeyError, ValueError) as error:
    sys.stdout.write(Strict(text).safe_substitute(os.environ, UNSET="?"))
    sys.stdout.flush()
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)
