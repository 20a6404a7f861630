"""Writes the compiled standard library as a zip file: stdlib.py LIB OUT [FOLDER]

LIB is the folder Lib of CPython's sources, FOLDER has modules of ours. The same sources give the
same bytes.
"""

import importlib._bootstrap_external as external
import importlib.util
import pathlib
import sys
import zipfile

# What cannot work without processes, a terminal or shared libraries, and what nobody runs in a call.
left_out = {
    "__pycache__", "test", "tests", "idlelib", "lib2to3", "tkinter", "turtledemo", "turtle.py", "ensurepip", "venv",
    "distutils", "pydoc_data", "curses", "ctypes", "msilib", "site-packages", "dist-packages",
}  # fmt: skip

# What differs in WebAssembly.
appended = {
    # Requests go through the egress proxy.
    "urllib/request.py": "\nfrom _ambit_urllib import install as _install\n_install(globals())\n",
    # An event loop wakes itself through a pair of sockets. Here nothing else could wake it.
    "asyncio/selector_events.py": """
BaseSelectorEventLoop._make_self_pipe = lambda self: None
BaseSelectorEventLoop._close_self_pipe = lambda self: None
BaseSelectorEventLoop._write_to_self = lambda self: None
""",
    # It warns of its own code in place of OpenSSL's.
    "hashlib.py": "\n_warn = lambda *args, **options: None\n",
}


def modules(folder: pathlib.Path):
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder)
        if not left_out.intersection(name.parts):
            yield name.as_posix(), path.read_bytes()


def compiled(name: str, source: bytes) -> bytes:
    text = source + appended.get(name, "").encode()
    code = compile(text, f"/usr/lib/python3.11/{name}", "exec", dont_inherit=True, optimize=0)
    return bytes(external._code_to_hash_pyc(code, importlib.util.source_hash(text), False))


def main(lib: str, out: str, *folders: str) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for folder in (lib, *folders):
            for name, source in modules(pathlib.Path(folder)):
                entry = zipfile.ZipInfo(f"{name}c", (1980, 1, 1, 0, 0, 0))
                archive.writestr(entry, compiled(name, source))


main(*sys.argv[1:])
