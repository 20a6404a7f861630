"""Summary statistics of the numbers on stdin."""
import argparse
import math
import statistics
import sys
from fractions import Fraction

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--exact", action="store_true", help="use fractions")
parser.add_argument("--quantiles", type=int, default=4, metavar="N")
args = parser.parse_args()
numbers = []
for line_number, line in enumerate(sys.stdin, 1):
    for word in line.split():
        try:
            numbers.append(Fraction(word) if args.exact else float(word))
        except ValueError:
            print(f"line {line_number}: {word!r} is not a number", file=sys.stderr)
try:
    print("mean", statistics.mean(numbers), "median", statistics.median(numbers), "low", statistics.median_low(numbers))
    print("mode", statistics.multimode(numbers), "fsum", math.fsum(numbers))
    print("stdev", statistics.stdev(numbers), "pvariance", statistics.pvariance(numbers))
    print("quantiles", statistics.quantiles(numbers, n=args.quantiles, method="inclusive"))
    if min(numbers) > 0 and not args.exact:
        print("geometric", statistics.geometric_mean(numbers), "harmonic", statistics.harmonic_mean(numbers))
    index = range(len(numbers))
    print("trend", statistics.linear_regression(index, numbers), statistics.correlation(index, numbers))
except statistics.StatisticsError as error:
    sys.exit(f"error: {error}")
normal = statistics.NormalDist.from_samples([float(n) for n in numbers])
print(f"{normal.mean:.6f} {normal.stdev:.6f} {normal.cdf(3):.9f} {normal.inv_cdf(0.9):.9f} {normal.zscore(1):.6f}")
