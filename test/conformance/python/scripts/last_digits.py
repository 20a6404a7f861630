"""Functions of the math module to the last digit, which depends on the C library."""
import math

for x in (0.5, 2.5, 1e-10, 123456.789):
    print(x, math.sin(x), math.cos(x), math.tan(x), math.atan2(x, -1), math.cbrt(x), math.exp(-x), math.log(x), math.gamma(min(x, 99)))
