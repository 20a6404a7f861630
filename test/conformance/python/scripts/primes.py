"""Sieve primes, factor numbers, and check identifiers with check digits."""
import argparse
import math
import sys


def sieve(limit):
    flags = bytearray([1]) * (limit + 1)
    flags[0:2] = b"\0\0"
    for n in range(2, math.isqrt(limit) + 1):
        if flags[n]:
            flags[n * n::n] = bytes(len(range(n * n, limit + 1, n)))
    return [n for n, flag in enumerate(flags) if flag]


def factors(n):
    found, divisor = {}, 2
    while divisor * divisor <= n:
        while n % divisor == 0:
            found[divisor] = found.get(divisor, 0) + 1
            n //= divisor
        divisor += 1 + divisor % 2
    if n > 1:
        found[n] = found.get(n, 0) + 1
    return found


def luhn(text):
    digits = [int(digit) for digit in reversed(text) if digit.isdigit()]
    return sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])


def isbn(text):
    digits = [int(character) for character in text if character.isdigit()]
    return len(digits) == 13 and sum(digit * (1, 3)[n % 2] for n, digit in enumerate(digits)) % 10 == 0


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("command", choices=("sieve", "factor", "luhn", "isbn"))
parser.add_argument("values", nargs="+")
args = parser.parse_args()
for value in args.values:
    try:
        match args.command:
            case "sieve":
                found = sieve(int(value))
                print(len(found), found[-5:], sum(found))
            case "factor":
                print(value, "=", " · ".join(f"{p}^{n}" if n > 1 else str(p) for p, n in factors(int(value)).items()) or 1)
            case "luhn":
                print(value, "valid" if luhn(value) % 10 == 0 else f"invalid, off by {luhn(value) % 10}")
            case "isbn":
                print(value, isbn(value))
    except ValueError as error:
        print(error, file=sys.stderr)
