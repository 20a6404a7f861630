"""Readability of a text on stdin: sentences, syllables, scores, frequent words."""
import math
import re
import sys
from collections import Counter

STOP = set("the a an and or of to in is it that for on with as at by".split())


def syllables(word):
    count = len(re.findall(r"[aeiouyäöü]+", word.lower()))
    if word.lower().endswith("e") and count > 1 and not word.lower().endswith("le"):
        count -= 1
    return max(count, 1)


text = sys.stdin.read()
sentences = [part for part in re.split(r"(?<=[.!?])\s+", text.strip()) if part]
words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", text)
if not words:
    sys.exit("no words")
total = sum(map(syllables, words))
hard = sum(syllables(word) >= 3 for word in words)
per_sentence, per_word = len(words) / len(sentences), total / len(words)
print(f"{len(sentences)} sentences, {len(words)} words, {total} syllables")
print(f"Flesch {206.835 - 1.015 * per_sentence - 84.6 * per_word:.2f}, grade {0.39 * per_sentence + 11.8 * per_word - 15.59:.2f}, fog {0.4 * (per_sentence + 100 * hard / len(words)):.2f}, SMOG {1.043 * math.sqrt(hard * 30 / len(sentences)) + 3.1291:.2f}")
frequent = Counter(word.lower() for word in words if word.lower() not in STOP)
print(", ".join(f"{word} {count}" for word, count in sorted(frequent.items(), key=lambda item: (-item[1], item[0]))[:5]))
print("longest:", max(sentences, key=lambda sentence: len(sentence.split()))[:60])
