#!/usr/bin/env python3
# /// script
# requires-python = ">=3.9"
# dependencies = []
# ///
"""Count the words of a text and how many of them differ."""

import re
import sys

words = re.findall(r"\w+", " ".join(sys.argv[1:]).lower())
print(f"{len(words)} words, {len(set(words))} different")
