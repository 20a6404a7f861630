"""Encrypt and break simple ciphers."""
import argparse
import string
import sys
from collections import Counter
from itertools import cycle

ENGLISH = dict(zip("etaoinshrdlu", (12.7, 9.1, 8.2, 7.5, 7.0, 6.7, 6.3, 6.1, 6.0, 4.3, 4.0, 2.8)))


def shift(text, by):
    alphabet = string.ascii_lowercase
    moved = alphabet[by % 26:] + alphabet[:by % 26]
    return text.translate(str.maketrans(alphabet + alphabet.upper(), moved + moved.upper()))


def vigenere(text, key, sign):
    keys = cycle(ord(letter) - 97 for letter in key.lower())
    return "".join(shift(letter, sign * next(keys)) if letter.isascii() and letter.isalpha() else letter for letter in text)


def crack(text):
    scored = [(sum(ENGLISH.get(letter, 0) * count for letter, count in Counter(shift(text.lower(), -by)).items()), by) for by in range(26)]
    return max(scored)


parser = argparse.ArgumentParser(description=__doc__)
sub = parser.add_subparsers(dest="mode", required=True)
for name in ("encrypt", "decrypt"):
    command = sub.add_parser(name)
    command.add_argument("key", help="a number, or a word")
sub.add_parser("crack")
args = parser.parse_args()
text = sys.stdin.read()
if args.mode == "crack":
    score, by = crack(text)
    print(f"shift {by}, score {score:.1f}")
    print(shift(text, -by), end="")
else:
    sign = 1 if args.mode == "encrypt" else -1
    print(shift(text, sign * int(args.key)) if args.key.lstrip("-").isdigit() else vigenere(text, args.key, sign), end="")
