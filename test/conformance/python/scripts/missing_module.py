"""Falls back when optional modules of other people are missing."""
import sys

try:
    import no_such_yaml as yaml
except ImportError:
    yaml = None
try:
    from no_such_console.tables import Table
except ModuleNotFoundError as error:
    print(f"plain output: {error} ({error.name})", file=sys.stderr)
print("yaml" if yaml else "no yaml")
if "--need" in sys.argv:
    import no_such_client.http
