"""Arithmetic with large integers: primes, digits, bits, bytes."""
import math
import sys

fibonacci = [0, 1]
while len(fibonacci) < 400:
    fibonacci.append(fibonacci[-1] + fibonacci[-2])
print(fibonacci[-1], fibonacci[300] % fibonacci[100])


def is_prime(n):
    if n < 4:
        return n > 1
    odd, power = n - 1, 0
    while odd % 2 == 0:
        odd, power = odd // 2, power + 1
    for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if n % base == 0:
            return n == base
        x = pow(base, odd, n)
        if x in (1, n - 1):
            continue
        if not any((x := x * x % n) == n - 1 for _ in range(power - 1)):
            return False
    return True


print([p for p in (61, 89, 100, 107, 127, 128, 521) if is_prime(2**p - 1)])
n = 3**200
print(n.bit_length(), n.bit_count(), n.to_bytes(40, "big").hex(), int.from_bytes(b"\xff" * 9, "little", signed=True), -n >> 300, ~n & 0xFFFF, n ^ n >> 1 & 7)
print(pow(7, -1, 2**89 - 1), divmod(-n, 10**20), math.gcd(n, 6**50), len(str(math.factorial(300))), n // -7 % 10, (-n) % 1000)
print(2**62 + 2**62, 2**31 * 2**31, -(2**63), 10**18 * 10**18, 1 << 200 >> 190, 0xFFFFFFFF * 0xFFFFFFFF)
print(float(2**1000), 2**-3, 10**25 / 10**24, 7 // 2, -7 // 2, 7 % -3, (2**53 + 1) / 1, int(1e25), True + 1)
try:
    print(float(10**400))
except OverflowError as error:
    print(error)
sys.set_int_max_str_digits(6000)
print(str(7**6000)[:20], len(str(7**6000)))
try:
    str(10**7000)
except ValueError as error:
    print(error)
