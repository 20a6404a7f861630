"""Interpret a tiny language: move, turn, repeat, pen; draw as text."""
import re
import sys


class Program:
    def __init__(self, text):
        self.words = re.findall(r"\[|\]|[^\s\[\]]+", re.sub(r"#.*", "", text))
        self.x = self.y = self.heading = 0
        self.down, self.cells, self.steps = True, {(0, 0)}, 0

    def run(self, words=None):
        words = iter(self.words if words is None else words)
        for word in words:
            match word.lower():
                case "fd" | "forward":
                    self.forward(int(next(words)))
                case "rt":
                    self.heading = (self.heading + int(next(words)) // 90) % 4
                case "lt":
                    self.heading = (self.heading - int(next(words)) // 90) % 4
                case "pu" | "pd" as pen:
                    self.down = pen == "pd"
                case "repeat":
                    count, block = int(next(words)), self.block(words)
                    for _ in range(count):
                        self.run(block)
                case other:
                    raise NameError(f"unknown word {other!r}")

    def block(self, words):
        if next(words, None) != "[":
            raise SyntaxError("repeat needs a block")
        depth, block = 1, []
        for word in words:
            depth += {"[": 1, "]": -1}.get(word, 0)
            if not depth:
                return block
            block.append(word)
        raise SyntaxError("a block is not closed")

    def forward(self, count):
        for _ in range(count):
            self.x += (0, 1, 0, -1)[self.heading]
            self.y += (-1, 0, 1, 0)[self.heading]
            self.steps += 1
            if self.down:
                self.cells.add((self.x, self.y))

    def __str__(self):
        xs, ys = zip(*self.cells)
        return "\n".join("".join("█" if (x, y) in self.cells else " " for x in range(min(xs), max(xs) + 1)).rstrip() for y in range(min(ys), max(ys) + 1))


program = Program(sys.stdin.read())
try:
    program.run()
except (NameError, SyntaxError, ValueError, StopIteration) as error:
    print(f"{type(error).__name__}: {error}", file=sys.stderr)
    sys.exit(1)
print(program, f"{program.steps} steps to {program.x},{program.y}", sep="\n")
