#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = []
# ///
"""Count the words of a text and how many of them differ."""

import argparse
import re
from collections import Counter
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", nargs="*", help="the text")
    parser.add_argument("--file", type=Path, help="read the text from this file")
    parser.add_argument("--top", type=int, default=0, metavar="N", help="list the N most frequent words")
    options = parser.parse_args()
    if bool(options.text) == (options.file is not None):
        parser.error("give a text, or --file FILE")

    text = " ".join(options.text) if options.file is None else options.file.read_text(encoding="utf-8")
    words = Counter(re.findall(r"\w+", text.lower()))
    print(f"{sum(words.values())} words, {len(words)} different")
    for word, count in words.most_common(options.top):
        print(f"{count:6}  {word}")


if __name__ == "__main__":
    main()
