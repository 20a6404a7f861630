"""Frequencies of words, letters and pairs in a text."""
import re
import sys
from collections import Counter
from itertools import pairwise

text = sys.stdin.read()
words = [word.casefold() for word in re.findall(r"[^\W\d_]+", text)]
letters = Counter(letter for word in words for letter in word)
print(len(words), len(set(words)), sum(map(len, words)))
for word, count in sorted(Counter(words).items(), key=lambda item: (-item[1], item[0]))[:5]:
    print(f"{word:<10} {count:>3} {count / len(words):6.2%} {'*' * count}")
print(sorted(letters.items(), key=lambda item: (-item[1], item[0]))[:6])
print(sorted(Counter(pairwise(words)).items(), key=lambda item: (-item[1], item[0]))[:2])
print({length: sum(len(word) == length for word in words) for length in sorted({len(word) for word in words})})
