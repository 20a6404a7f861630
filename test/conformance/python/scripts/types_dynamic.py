"""Build classes, functions and modules while running."""
import sys
import types

Record = types.new_class("Record", (), {}, lambda namespace: namespace.update(kind="record", __len__=lambda self: 3))
print(Record().kind, len(Record()), Record.__name__, type("Point", (tuple,), {"x": property(lambda self: self[0])})((4, 5)).x)
module = types.ModuleType("made", "A module made here.")
exec("def double(n):\n    'Twice.'\n    return n * factor\nfactor = 2", module.__dict__)
sys.modules["made"] = module
import made

print(made.double(21), made.double.__doc__, made.__doc__, made)


class Meta(type):
    def __new__(mcls, name, bases, namespace, **options):
        namespace["options"] = options
        return super().__new__(mcls, name, bases, namespace)

    def __call__(cls, *args):
        print("making", cls.__name__)
        return super().__call__(*args)

    def __getattr__(cls, name):
        return f"{cls.__name__}.{name}?"


class Typed:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return self if instance is None else getattr(instance, self.name, 0)

    def __set__(self, instance, value):
        if not isinstance(value, int):
            raise TypeError(f"{self.name[1:]} must be int, not {type(value).__name__}")
        setattr(instance, self.name, value)


class Thing(metaclass=Meta, strict=True):
    size = Typed()
    __slots__ = ("_size",)


thing = Thing()
thing.size = 3
print(thing.size, Thing.options, Thing.anything, hasattr(thing, "__dict__"))
for name, value in (("size", "x"), ("color", 1)):
    try:
        setattr(thing, name, value)
    except (TypeError, AttributeError) as error:
        print(type(error).__name__, error)
code = (lambda a, b=1: a + b).__code__
print(code.co_varnames, code.co_argcount, types.FunctionType(code, {}, "add", (10,))(5), types.SimpleNamespace(a=1), isinstance(print, types.BuiltinFunctionType))
print(types.MethodType(lambda self, n: self * n, 6)(7), types.GenericAlias(list, (int,)), types.resolve_bases((list[int],)), types.DynamicClassAttribute is not None)
