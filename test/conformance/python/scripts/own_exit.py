"""End without finalization, and with a replaced import."""
import builtins
import os
import sys

print(os.path.basename(os.__file__), flush=True)
what = sys.argv[1]
if what == "import":
    builtins.__import__ = None
else:
    os._exit(int(what))
