"""Scale a recipe: `fraction_recipe.py FACTOR < recipe`."""
import re
import sys
from fractions import Fraction
from math import gcd, lcm

VULGAR = {"½": Fraction(1, 2), "¼": Fraction(1, 4), "¾": Fraction(3, 4), "⅓": Fraction(1, 3)}


def parse(text):
    total = Fraction(0)
    for part in text.split():
        total += VULGAR[part] if part in VULGAR else Fraction(part)
    return total


def show(value):
    whole, rest = divmod(value, 1)
    glyph = {v: k for k, v in VULGAR.items()}.get(rest, str(rest) if rest else "")
    return f"{whole or ''}{' ' if whole and '/' in glyph else ''}{glyph}" or "0"


try:
    factor = Fraction(sys.argv[1])
except (IndexError, ValueError, ZeroDivisionError) as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    raise SystemExit(2) from error
for line in sys.stdin:
    match = re.match(r"((?:\d+(?:/\d+)?|[½¼¾⅓])(?:\s(?:\d+/\d+|[½¼¾⅓]))?)\s*(.*)", line)
    print(f"{show(parse(match[1]) * factor)} {match[2]}" if match else line.rstrip())
print(factor, float(factor), factor.limit_denominator(10), Fraction(0.1), Fraction("3.125"), gcd(12, 18), lcm(4, 6), Fraction(7, 3) // 1)
