"""Modules in the working directory are not imported by scripts; data there is read."""
import importlib.util
import runpy
import sys

sys.dont_write_bytecode = True
try:
    import plugin
except ModuleNotFoundError as error:
    print(error)
spec = importlib.util.spec_from_file_location("plugin", "plugin.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.hello("loaded"), module.__file__)
print(sorted(name for name in runpy.run_path("plugin.py", {"given": 1}) if not name.startswith("__")))
sys.path.insert(0, ".")
import plugin

print(plugin.hello("imported"), plugin is module)
import importlib

print(importlib.reload(plugin).hello("again"), importlib.util.find_spec("no_such") is None, importlib.import_module("json.decoder").__name__)
