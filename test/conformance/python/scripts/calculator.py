"""Evaluate arithmetic, one expression a line, with variables."""
import math
import operator
import re
import sys

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)|([a-zA-Z_]\w*)|(.))")
BINARY = {"+": (1, operator.add), "-": (1, operator.sub), "*": (2, operator.mul), "/": (2, operator.truediv), "%": (2, operator.mod), "^": (3, operator.pow)}
FUNCTIONS = {"sqrt": math.sqrt, "abs": abs, "round": round, "min": min, "max": max, "floor": math.floor}


class Parser:
    def __init__(self, text, variables):
        self.tokens = [match.groups() for match in TOKEN.finditer(text.strip())] + [(None, None, "")]
        self.position, self.variables = 0, variables

    def take(self, symbol=None):
        token = self.tokens[self.position]
        if symbol is not None and token[2] != symbol:
            raise SyntaxError(f"expected {symbol!r}, found {next(filter(None, token), 'the end')!r}")
        self.position += 1
        return token

    def peek(self):
        return self.tokens[self.position][2]

    def expression(self, level=1):
        value = self.unary()
        while self.peek() in BINARY and BINARY[self.peek()][0] >= level:
            priority, function = BINARY[self.take()[2]]
            value = function(value, self.expression(priority + (priority < 3)))
        return value

    def unary(self):
        if self.peek() in ("-", "+"):
            return -self.expression(3) if self.take()[2] == "-" else self.expression(3)
        number, name, symbol = self.take()
        if number:
            return float(number) if re.search(r"[.eE]", number) else int(number)
        if name and self.peek() == "(":
            self.take()
            arguments = [self.expression()]
            while self.peek() == ",":
                self.take()
                arguments.append(self.expression())
            self.take(")")
            return FUNCTIONS[name](*arguments)
        if name:
            return self.variables[name]
        if symbol == "(":
            value = self.expression()
            self.take(")")
            return value
        raise SyntaxError(f"unexpected {symbol or 'end'!r}")


variables, failed = {"pi": math.pi}, False
for number, line in enumerate(sys.stdin, 1):
    name, equals, text = line.strip().rpartition("=")
    try:
        parser = Parser(text, variables)
        value = parser.expression()
        parser.take("")
        variables[name.strip() or "_"] = value
        print(f"{name.strip() or '_'} = {value!r}")
    except (SyntaxError, ArithmeticError, KeyError, ValueError, TypeError) as error:
        failed = True
        print(f"line {number}: {type(error).__name__}: {error}", file=sys.stderr)
sys.exit(failed)
