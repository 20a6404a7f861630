#!/usr/bin/env python3
"""Lint Markdown files: headings, trailing space, bare links, fences."""
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator


@dataclass(frozen=True, order=True)
class Finding:
    file: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule} {self.message}"


def lint(path: Path) -> Iterator[Finding]:
    previous_level, fence, blank = 0, None, True
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        def found(rule: str, message: str) -> Finding:
            return Finding(str(path), number, rule, message)

        if match := re.match(r"(`{3,}|~{3,})(\w*)", line):
            if fence is None:
                fence = match[1]
                if not match[2]:
                    yield found("MD040", "fence without a language")
            elif line.startswith(fence):
                fence = None
            continue
        if fence is not None:
            continue
        if line != line.rstrip() and not line.endswith("  "):
            yield found("MD009", "trailing space")
        if "\t" in line:
            yield found("MD010", "tab")
        if len(line) > 80 and not re.search(r"https?://", line):
            yield found("MD013", f"{len(line)} characters")
        if match := re.match(r"(#+)(\s*)(.*)", line):
            level = len(match[1])
            if not match[2]:
                yield found("MD018", "no space after #")
            if previous_level and level > previous_level + 1:
                yield found("MD001", f"heading level {previous_level} to {level}")
            if re.search(r"[.,;:!]$", match[3]):
                yield found("MD026", f"heading ends in {match[3][-1]!r}")
            previous_level = level
        for url in re.finditer(r"(?<![(<\"'])\bhttps?://[^\s)>]+", line):
            yield found("MD034", f"bare link {url[0]}")
    if fence is not None:
        yield Finding(str(path), 0, "MD000", "fence is not closed")


paths = [Path(name) for name in sys.argv[1:]] or sorted(Path().rglob("*.md"))
findings = sorted(finding for path in paths for finding in lint(path))
print(*findings, sep="\n")
print(f"{len(paths)} files, {len(findings)} findings", file=sys.stderr)
sys.exit(min(len(findings), 1))
