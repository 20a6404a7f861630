"""Draw a reproducible sample of the lines on stdin."""
import argparse
import random
import sys

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("-n", type=int, default=3, help="how many lines")
parser.add_argument("--seed", default="corpus")
parser.add_argument("--weights", type=lambda text: [float(part) for part in text.split(",")])
args = parser.parse_args()

rng = random.Random(args.seed)
lines = sys.stdin.read().splitlines()
try:
    chosen = rng.choices(lines, args.weights, k=args.n) if args.weights else rng.sample(lines, args.n)
except ValueError as error:
    parser.error(str(error))
print(*chosen, sep="\n")
shuffled = list(range(10))
rng.shuffle(shuffled)
print(shuffled, rng.random(), rng.uniform(1, 2), rng.randint(1, 6), rng.randrange(0, 100, 7), rng.getrandbits(70))
print(*(f"{value:.12f}" for value in (rng.gauss(0, 1), rng.normalvariate(5, 2), rng.expovariate(1.5), rng.betavariate(1, 3), rng.triangular(0, 10, 5))), rng.randbytes(4).hex())
state = rng.getstate()
first = rng.random()
rng.setstate(state)
print(first == rng.random(), random.Random(1).random(), random.Random(b"x").random(), random.Random(-7).getrandbits(8))
