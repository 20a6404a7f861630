"""Begins and ends a program. `prepare` runs before the snapshot, the rest in each call."""

import _ambit
import atexit
import gc
import os
import sys
from importlib.machinery import SourceFileLoader

# What `python3 program.py` has imported before the program begins.
_at_start = frozenset(sys.modules) | {"__main__"}

# What scripts import most: it is in the snapshot, so that a call does not import it.
_preloaded = """
    __future__ abc argparse ast base64 bisect calendar codecs collections collections.abc configparser
    contextlib copy csv dataclasses datetime decimal difflib email.utils enum fnmatch fractions functools
    glob gzip hashlib heapq hmac html html.parser io importlib importlib.util inspect itertools json
    linecache locale logging math mimetypes numbers operator os pathlib platform pprint queue random re
    reprlib runpy secrets select shlex shutil signal socket sqlite3 stat statistics string struct
    subprocess sys tarfile tempfile textwrap threading time timeit token tokenize tomllib traceback types
    typing unicodedata urllib.parse uuid warnings weakref xml.dom.minidom xml.etree.ElementTree xml.sax
    zipfile zlib ambit
"""

# Modules inside the interpreter, which have a file on other systems.
_without_file = "_collections_abc _sitebuiltins abc codecs genericpath io os posixpath site stat"


def prepare():
    for name in _preloaded.split():
        __import__(name)
    sys.modules["linecache"].clearcache()
    # As on other platforms. For WASI it is lower, because few engines have the stack.
    sys.setrecursionlimit(1000)
    _replace_functions()
    for name in _without_file.split():
        sys.modules[name].__file__ = f"/usr/lib/python3.11/{name}.py"
    # The objects of the snapshot live as long as the call: collecting them would only cost fuel.
    gc.collect()
    gc.freeze()


def _replace_functions():
    """What differs from other systems because of WASI's own functions."""
    posix = sys.modules["posix"]
    end, change = posix._exit, posix.chdir

    def chdir(path):
        change(path)
        # The working directory of WASI is a text, in which `..` stays.
        change(os.path.realpath(os.getcwd()))

    def unresolved(host, *args, **options):
        raise sys.modules["socket"].gaierror(-3, "Temporary failure in name resolution")

    os._exit = posix._exit = lambda status: end(status & 0xFF)
    os.chdir = posix.chdir = chdir
    for name in ("getaddrinfo", "gethostbyname"):
        setattr(sys.modules["socket"], name, unresolved)
        setattr(sys.modules["_socket"], name, unresolved)


def begin():
    """Prepares the call, and returns what to run: ("file", path) or ("module", name)."""
    texts = [os.fsdecode(text) for text in _ambit.arguments()]
    kind, target, folder, own, *args = texts
    _set_environment()
    os.chdir(folder)
    modules = sys.modules
    if any(name in modules and name not in _at_start for name in own.split(",")):
        # The skill has a module with the name of a preloaded one, and Python would import that.
        for name in [name for name in modules if name not in _at_start]:
            del modules[name]
    else:
        modules["random"].seed()
        modules["logging"]._startTime = modules["time"].time()
    if kind == "file":
        sys.argv = [target, *args]
        sys.path.insert(0, os.path.dirname(target))
    else:
        sys.argv = ["-m", *args]
        sys.path.insert(0, "/skill")
    sys.orig_argv = ["python3", *(["-m"] if kind == "module" else []), target, *args]
    if kind == "file":
        _set_main(target)
    return kind, target


def _set_environment():
    entries = [text.partition(b"=") for text in _ambit.environment()]
    values = {name: value for name, _, value in entries}
    os.environ._data.clear()
    os.environ._data.update(values)
    sys.modules["posix"].environ.clear()
    sys.modules["posix"].environ.update(values)


def _set_main(path):
    main = sys.modules["__main__"]
    main.__file__ = path
    main.__loader__ = SourceFileLoader("__main__", path)


def end():
    """Ends the call as Python itself does, and returns whether output could not be written."""
    if "threading" in sys.modules:
        try:
            sys.modules["threading"]._shutdown()
        except BaseException:
            sys.excepthook(*sys.exc_info())
    atexit._run_exitfuncs()
    unflushed = _flush()
    # Files that the program left open are flushed when nothing refers to them.
    main = sys.modules.pop("__main__", None)
    _ambit.clear(main)
    del main
    gc.collect()
    return unflushed or _flush()


def _flush():
    failed = False
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            failed = stream is sys.stdout
            if failed:
                _ambit.unraisable(error.with_traceback(error.__traceback__.tb_next), stream)
    return failed
