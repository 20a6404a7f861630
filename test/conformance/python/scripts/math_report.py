"""Numbers of the math and cmath modules, and their errors."""
import cmath
import math
import operator

for x in (0.0, -0.0, 0.5, 1.0, 2.5, 1e-10, 123456.789):
    print(x, *(f"{value:.12g}" for value in (math.sin(x), math.cos(x), math.tan(x), math.exp(-x), math.atan2(x, -1), math.cbrt(x))), math.sqrt(x))
    print("  ", *(f"{value:.12g}" for value in (math.log1p(x), math.expm1(min(x, 100)), math.erf(x), math.sinh(min(x, 9)))), math.frexp(x), math.modf(x))
print(math.pi, math.e, math.tau, math.inf, math.nan, math.ulp(1.0), math.nextafter(1.0, 2.0))
print(math.comb(52, 5), math.perm(10, 3), math.factorial(25), math.isqrt(10**30 + 1), math.gcd(2**64, 6**20), math.dist((1, 2), (4, 6)), math.hypot(1, 2, 3))
print(math.floor(-2.5), math.ceil(-2.5), math.trunc(-2.5), round(2.5), round(-3.5), round(2.675, 2), math.fmod(-7, 3), -7 % 3, math.remainder(7, 4), math.copysign(3, -0.0))
print(math.isclose(0.1 + 0.2, 0.3), math.prod([1.5, 2, 3]), math.fsum([0.1] * 10), sum([0.1] * 10), math.ldexp(0.75, 5), math.log2(2**70), math.log(1000, 10), math.log10(1000), math.degrees(1), math.radians(180))
for text in ("sqrt(-1)", "log(0)", "exp(1000)", "factorial(-1)", "acos(2)", "pow(0, -1)", "fmod(1, 0)", "comb(1.5, 2)"):
    name, _, rest = text.partition("(")
    try:
        print(getattr(math, name)(*map(float if "." in rest else int, rest.rstrip(")").split(","))))
    except (ValueError, OverflowError, TypeError) as error:
        print(text, type(error).__name__, error)
z = complex(3, -4)
print(abs(z), z.conjugate(), z**2, z**0.5, cmath.sqrt(-2), cmath.exp(1j * cmath.pi), cmath.polar(z), cmath.rect(2, 1), cmath.log(-1), cmath.phase(-1j))
print(complex("1+2j"), repr(complex(0, -0.0)), 1j == complex(0, 1), operator.truediv(1 + 1j, 2 - 1j), f"{z:.2f}")
