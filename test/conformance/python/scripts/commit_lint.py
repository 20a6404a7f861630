"""Check commit messages, one a file or on stdin, separated by lines of ---."""
import re
import sys
from dataclasses import dataclass

TYPES = ("feat", "fix", "docs", "test", "chore", "refactor")


@dataclass
class Problem:
    commit: int
    text: str
    fatal: bool = True

    def __str__(self):
        return f"{'✗' if self.fatal else '!'} commit {self.commit}: {self.text}"


def check(number, message):
    subject, *rest = message.strip("\n").split("\n")
    match = re.fullmatch(r"(?P<type>\w+)(?:\((?P<scope>[\w/-]+)\))?!?: (?P<text>.+)", subject)
    if match is None:
        yield Problem(number, f"subject {subject!r} is not `type: text`")
    else:
        if match["type"] not in TYPES:
            yield Problem(number, f"unknown type {match['type']!r}; one of {', '.join(TYPES)}")
        if match["text"][0].isupper():
            yield Problem(number, "the text begins with a capital letter", fatal=False)
        if match["text"].endswith("."):
            yield Problem(number, "the subject ends with a full stop")
    if len(subject) > 72:
        yield Problem(number, f"the subject has {len(subject)} characters; at most 72")
    if rest and rest[0].strip():
        yield Problem(number, "the second line is not empty")
    for line_number, line in enumerate(rest, 2):
        if len(line) > 100:
            yield Problem(number, f"line {line_number} has {len(line)} characters", fatal=False)


problems = [problem for number, message in enumerate(re.split(r"^---\n", sys.stdin.read(), flags=re.M), 1) for problem in check(number, message)]
print(*problems, sep="\n", end="\n" if problems else "")
sys.exit(any(problem.fatal for problem in problems))
