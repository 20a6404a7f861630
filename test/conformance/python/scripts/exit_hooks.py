"""Everything that happens when a script ends: atexit, finalizers, open files."""
import atexit
import gc
import sys
import weakref


class Connection:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print(f"closed {self.name}")


def goodbye(name, times=1):
    print(f"goodbye {name}! " * times)


atexit.register(goodbye, "first")
atexit.register(goodbye, "second", times=2)


@atexit.register
def report():
    print("report", len(log.getvalue()) if hasattr(log, "getvalue") else log.name)


log = open("log.txt", "w")
log.write("never closed, must be written\n")
unnamed = [open(f"part{n}.txt", "wb") for n in range(3)]
for number, file in enumerate(unnamed):
    file.write(b"x" * 10**number)
module_level = Connection("module level")
cycle = Connection("in a cycle")
cycle.self = cycle
del cycle
print("collected", gc.collect() > 0)
temporary = Connection("temporary")
del temporary
weakref.finalize(module_level, print, "finalizer ran")
print("last line", file=sys.stderr)
if "--fail" in sys.argv:
    raise RuntimeError("fails with hooks")
if "--exit" in sys.argv:
    sys.exit(8)
