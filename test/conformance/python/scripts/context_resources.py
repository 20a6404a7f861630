"""Manage resources with contextlib: stacks, suppression, redirection, decorators."""
import contextlib
import io
import os
import sys


@contextlib.contextmanager
def step(name):
    print(f"begin {name}")
    try:
        yield name.upper()
    except LookupError as error:
        print(f"swallowed {error!r} in {name}")
    finally:
        print(f"end {name}")


class Resource(contextlib.AbstractContextManager):
    def __init__(self, name):
        self.name = name

    def __exit__(self, kind, error, trace):
        print("closing", self.name, kind.__name__ if kind else None)
        return False


@step("decorated")
def decorated():
    return {}["missing"]


with step("outer") as outer, step("inner"):
    print(outer)
    raise IndexError("oops")
print(decorated())
with contextlib.ExitStack() as stack:
    resources = [stack.enter_context(Resource(name)) for name in sys.argv[1:]]
    stack.callback(print, "callback", sep="")
    stack.push(lambda *error: print("pushed", error[0]) or True)
    if len(resources) > 1:
        raise RuntimeError("too many")
with contextlib.suppress(FileNotFoundError):
    os.remove("nothing")
out, err = io.StringIO(), io.StringIO()
with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
    print("captured")
    print("warned", file=sys.stderr)
print(repr(out.getvalue()), repr(err.getvalue()))
os.mkdir("folder")
with contextlib.chdir("folder"):
    print(os.getcwd())
    with contextlib.nullcontext(5) as value, contextlib.closing(io.StringIO("x")) as text:
        print(value, text.read())
print(os.getcwd(), text.closed)
