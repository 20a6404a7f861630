"""Document the public functions of a module: signatures, defaults, docstrings."""
import importlib
import inspect
import sys


def example(first, /, second: int = 2, *rest: str, named: "list[int]" = (), **other) -> bool:
    """Show every kind of parameter.

        Indented.
    """


class Base:
    @classmethod
    def make(cls): ...

    @staticmethod
    def plain(x=1): ...

    @property
    def size(self): ...

    async def later(self): yield 1


for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        print(f"{type(error).__name__}: {error}; name={error.name}")
        continue
    for public, function in inspect.getmembers(module, inspect.isfunction):
        if not public.startswith("_"):
            print(f"{name}.{public}{inspect.signature(function)}")
print(inspect.signature(example), inspect.getdoc(example), sep="\n")
for parameter in inspect.signature(example).parameters.values():
    print(f"  {parameter.name}: {parameter.kind.description}, {parameter.default if parameter.default is not parameter.empty else 'required'}")
print([(name, type(value).__name__) for name, value in sorted(vars(Base).items()) if not name.startswith("__")])
print(inspect.isasyncgenfunction(Base.later), inspect.getsource(Base.plain), inspect.getsourcelines(example)[1], inspect.getmodule(Base).__name__, inspect.currentframe().f_lineno)
bound = inspect.signature(example).bind(1, 2, "x", key=3)
bound.apply_defaults()
print(bound.arguments, inspect.cleandoc("  a\n    b\n  c"), inspect.getfile(example), inspect.getclosurevars(example).globals)
try:
    inspect.signature(example).bind()
except TypeError as error:
    print(error)
