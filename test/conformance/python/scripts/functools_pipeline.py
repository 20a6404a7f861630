"""Compose text filters named on the command line."""
import functools
import operator
import sys

FILTERS = {}


def text_filter(function=None, *, name=None):
    if function is None:
        return functools.partial(text_filter, name=name)

    @functools.wraps(function)
    def counted(text):
        counted.calls += 1
        return function(text)

    counted.calls = 0
    FILTERS[name or function.__name__] = counted
    return counted


@text_filter
def upper(text):
    """Upper case."""
    return text.upper()


@text_filter(name="rev")
def reverse(text):
    """Reverse the text."""
    return text[::-1]


@text_filter
def squeeze(text):
    """Join runs of white space."""
    return " ".join(text.split())


class Shelf:
    @functools.cached_property
    def books(self):
        print("computed")
        return ("a", "b")

    @functools.singledispatchmethod
    def show(self, value):
        return f"? {value}"

    @show.register
    def _(self, value: int | float):
        return f"# {value}"

    @show.register(list)
    def _(self, value):
        return ", ".join(map(self.show, value))


unknown = [name for name in sys.argv[1:] if name not in FILTERS]
if unknown:
    sys.exit(f"unknown filters {unknown}; known: " + "; ".join(f"{name} ({f.__doc__})" for name, f in FILTERS.items()))
chain = functools.reduce(lambda f, g: lambda text: g(f(text)), (FILTERS[name] for name in sys.argv[1:]), lambda text: text)
for line in sys.stdin:
    print(chain(line.rstrip("\n")))
print({name: f.calls for name, f in FILTERS.items()}, reverse.__name__, upper.__wrapped__("ß"))
shelf = Shelf()
print(shelf.books, shelf.books, shelf.show([1, 2.5, "x"]))
print(functools.reduce(operator.mul, range(1, 11)), sorted(["b10", "a2"], key=functools.cmp_to_key(lambda a, b: len(a) - len(b))))
