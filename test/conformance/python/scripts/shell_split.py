"""Split and join command lines, and check them against an allow list."""
import shlex
import sys

ALLOWED = {"ls", "cat", "grep"}
for line in sys.stdin:
    try:
        words = shlex.split(line, comments=True)
    except ValueError as error:
        print(f"! {error}: {line.strip()}")
        continue
    if words:
        print("allowed" if words[0] in ALLOWED else "refused", words, shlex.join(words))
lexer = shlex.shlex("a && b|c > 'd e';f", posix=True, punctuation_chars=True)
print(list(lexer), shlex.quote("it's"), shlex.quote(""), shlex.quote("safe-1.txt"), shlex.quote("ü $HOME"))
