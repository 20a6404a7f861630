"""Facts about the interpreter that scripts check before they run."""
import os
import platform
import sys

if sys.version_info < (3, 8):
    sys.exit("needs Python 3.8")
print(sys.version_info[:2], platform.python_version_tuple()[:2], platform.python_implementation(), sys.implementation.name, sys.hexversion >> 16 == 0x030B)
print(os.sep, os.pathsep, os.linesep.encode(), os.curdir, os.name, os.devnull, os.extsep, sys.byteorder, sys.maxunicode)
print(sys.flags.optimize, sys.flags.dev_mode, sys.flags.isolated, sys.dont_write_bytecode in (True, False), sys.getrecursionlimit(), sys.float_repr_style, sys.int_info.bits_per_digit, __debug__)
print(os.path.exists(os.devnull), callable(getattr(os, "getpid")), len(sys.argv), sys.orig_argv[-1:], bool(sys.executable) or "no executable", sys.warnoptions, sys.api_version)
print(sorted(set(sys.builtin_module_names) & {"sys", "builtins", "_io", "marshal", "posix", "time"}), "re" in sys.modules, {"json", "sqlite3", "zlib"} <= sys.stdlib_module_names)
with open(os.devnull, "w") as null:
    print("vanishes", file=null)
print(repr(open(os.devnull).read()), os.cpu_count() is None or os.cpu_count() > 0, os.getenv("PATH") is not None, os.get_exec_path() != [])
