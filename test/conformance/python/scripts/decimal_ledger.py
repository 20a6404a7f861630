"""Exact money: contexts, rounding modes, signals and formats of decimal."""
import decimal
from decimal import Decimal as D

decimal.getcontext().prec = 28
print(D("0.1") + D("0.2"), D(0.1), D("1") / D("7"), D("2").sqrt(), D("1E+3").normalize(), D("-0"), D("NaN"), D("1").compare(D("1.0")))
for mode in ("ROUND_HALF_EVEN", "ROUND_HALF_UP", "ROUND_DOWN", "ROUND_CEILING", "ROUND_05UP"):
    print(mode, [str(D(text).quantize(D("0.1"), rounding=getattr(decimal, mode))) for text in ("2.25", "2.35", "-2.25", "1.01")])
with decimal.localcontext() as context:
    context.prec = 6
    print(D(1) / 3, D("123456789") + 1, context.create_decimal("3.14159265"), D(2).ln(), D(10).exp())
    context.traps[decimal.Inexact] = True
    try:
        D(1) / 3
    except decimal.Inexact as error:
        print("inexact", error.args)
for expression in (lambda: D(1) / 0, lambda: D("x"), lambda: D(0) / 0, lambda: D("sNaN") + 1, lambda: D("9e999999") * 10):
    try:
        print(expression())
    except decimal.DecimalException as error:
        print(type(error).__name__, [signal.__name__ if isinstance(signal, type) else signal for signal in error.args[0]])
print(f"{D('1234567.891'):,.2f} {D('0.000012'):e} {D('12.5'):+08.1f} {D('0.25'):%} {D('1e10')} {D('1e-10'):f}")
print(D("12.345").as_tuple(), D("12.345").as_integer_ratio(), D("7").remainder_near(D("4")), divmod(D("-7"), D("2")), D(2) ** D("0.5"))
print(sum([D("0.10")] * 3), max(D("1"), D("2.0")), hash(D("1.0")) == hash(1), D("1.50").adjusted(), round(D("2.675"), 2), int(D("9.99")))
print(D(2) ** 50 % 1000007, pow(D(3), 200, 1009), D("1e400").is_finite(), decimal.getcontext().flags[decimal.Inexact])
