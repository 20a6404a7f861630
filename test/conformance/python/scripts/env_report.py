"""Print the settings that a script would run with."""
import os
import sys
import tempfile

DEFAULTS = {"APP_PORT": "8080", "APP_DEBUG": "0", "APP_PATHS": "/a:/b"}

settings = {name: os.environ.get(name, default) for name, default in DEFAULTS.items()}
try:
    port = int(settings["APP_PORT"])
except ValueError as error:
    print(f"APP_PORT: {error}", file=sys.stderr)
    raise SystemExit(78)
print(f"port {port:_}, debug {bool(int(settings['APP_DEBUG']))}, paths {settings['APP_PATHS'].split(os.pathsep)}")
os.environ["APP_NEW"] = "set ü"
print(os.getenv("APP_NEW"), os.environb[b"APP_NEW"], os.path.expandvars("$APP_NEW/${APP_GONE}"))
del os.environ["APP_NEW"]
print("APP_NEW" in os.environ, os.environ.get("HOME"), os.path.expanduser("~/x"), tempfile.gettempdir(), os.environ.get("LANG"))
print(os.getcwd(), os.path.abspath("a/../b"), sys.argv[0])
