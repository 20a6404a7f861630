"""Solve a·x² + b·x + c = 0 with real or complex roots."""
import argparse
import cmath
import sys


def roots(a, b, c):
    if a == 0:
        if b == 0:
            raise ValueError("not an equation in x")
        return [-c / b]
    root = cmath.sqrt(b * b - 4 * a * c)
    return sorted({(-b + root) / (2 * a), (-b - root) / (2 * a)}, key=lambda z: (z.real, z.imag))


parser = argparse.ArgumentParser(description=__doc__)
for name in "abc":
    parser.add_argument(name, type=complex)
args = parser.parse_args()
try:
    for z in roots(args.a, args.b, args.c):
        z = complex(z)
        print(f"{z.real:.6g}" if z.imag == 0 else f"{z:.6g}")
except ValueError as error:
    print(error, file=sys.stderr)
    sys.exit(1)
