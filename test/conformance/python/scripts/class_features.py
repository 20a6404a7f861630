"""Operators, properties, descriptors and inheritance of a small money type."""
import math
from functools import total_ordering


@total_ordering
class Money:
    __match_args__ = ("amount", "currency")
    rates = {"EUR": 1.0, "USD": 1.25}

    def __init__(self, amount, currency="EUR"):
        self.amount, self.currency = amount, currency

    def __add__(self, other):
        if not isinstance(other, Money):
            return NotImplemented
        return Money(self.amount + other.to(self.currency).amount, self.currency)

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __mul__(self, factor):
        return Money(self.amount * factor, self.currency)

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Money) and math.isclose(self.amount, other.to(self.currency).amount)

    def __lt__(self, other):
        return self.amount < other.to(self.currency).amount

    def __hash__(self):
        return hash(round(self.to("EUR").amount, 2))

    def __format__(self, spec):
        return f"{self.amount:{spec or '.2f'}} {self.currency}"

    def __repr__(self):
        return f"Money({self.amount!r}, {self.currency!r})"

    def __bool__(self):
        return self.amount != 0

    def __getattr__(self, name):
        if name.startswith("in_"):
            return self.to(name[3:].upper()).amount
        raise AttributeError(f"{type(self).__name__!r} has no {name!r}")

    def to(self, currency):
        return self if currency == self.currency else Money(self.amount / self.rates[self.currency] * self.rates[currency], currency)

    @classmethod
    def parse(cls, text):
        amount, currency = text.split()
        return cls(float(amount), currency)


class Gift(Money):
    def __init__(self, *args, note=""):
        super().__init__(*args)
        self.note = note


prices = [Money(3), Money.parse("2.5 USD"), Gift(1, "USD", note="hi")]
print(sum(prices), max(prices), f"{2 * prices[0]:.1f} {prices[1]}", sorted(prices), Money(1) == Money(1.25, "USD"), bool(Money(0)))
print(len({Money(1), Money(1.25, "USD"), Money(2)}), prices[0].in_usd, Gift.__mro__[1].__name__, isinstance(prices[2], Money), vars(prices[2]))
for value in (Money(5, "USD"), Money(0), "text", [1, 2, 3], {"k": (1, 2)}, 3.5):
    match value:
        case Money(0):
            print("nothing")
        case Money(amount, "USD") if amount > 1:
            print("dollars", amount)
        case str() | float():
            print("scalar", value)
        case [first, *rest]:
            print(first, rest)
        case {"k": (a, b), **others}:
            print(a, b, others)
for call in (lambda: prices[0].color, lambda: prices[0] + 1, lambda: prices[0] < 3, lambda: prices[0].to("XXX"), lambda: Money()):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
