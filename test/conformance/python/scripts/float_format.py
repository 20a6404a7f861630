"""Print measurements with fixed, significant and engineering digits."""
import sys


def engineering(value):
    if value == 0:
        return "0"
    exponent = int(f"{value:e}".split("e")[1]) // 3 * 3
    return f"{value / 10**exponent:.4g}{'' if exponent == 0 else f'e{exponent:+d}'}"


for word in sys.stdin.read().split():
    try:
        value = float(word)
    except ValueError as error:
        print(error)
        continue
    if value != value or value in (float("inf"), -float("inf")):
        print(value, f"{value:8.2f}|{value:<6}|{value:+}")
        continue
    print(f"{value!r:>24} {value:12.4f} {value:12.4e} {value:.12g} {engineering(value)} {value.is_integer()} {round(value, 3)}")
print(0.1 + 0.2, 1e15 + 0.3, 1.1 * 1.1, 2 / 3, 1e16 + 1, 0.1 + 0.7, 4.35 * 100, 1.005 * 1000, 9.95, 1 - 0.9)
print(sum([0.1, 0.2, 0.3]), 1e308 * 10, -1e308 * 10, 2.0**0.5, 10.0**-5, 5 % 0.3, -5 % 0.3, 5 // 0.3, divmod(7.5, 2))
print(float.fromhex("0x1.8p3"), (0.1).hex(), (2.5).as_integer_ratio(), float("1e-400"), float("1e400"), sys.float_info.max, sys.float_info.epsilon, sys.float_info.dig)
