"""Format SQL from stdin: upper case keywords, one clause a line."""
import re
import sys

TOKEN = re.compile(r"""
    (?P<comment>--[^\n]*|/\*.*?\*/)
  | (?P<string>'(?:[^']|'')*'|"(?:[^"]|"")*")
  | (?P<number>\d+(?:\.\d+)?)
  | (?P<word>[A-Za-z_\u0080-\uffff][\w$]*(?:\.\w+)*)
  | (?P<operator><>|<=|>=|!=|\|\||[-+*/%=<>(),;.])
  | (?P<space>\s+)
  | (?P<other>.)
""", re.X | re.S)
CLAUSES = {"SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "LEFT", "INNER", "JOIN", "UNION", "VALUES", "SET"}
KEYWORDS = CLAUSES | {"AS", "BY", "ON", "AND", "OR", "NOT", "IN", "IS", "NULL", "DESC", "ASC", "INSERT", "INTO", "UPDATE", "CASE", "WHEN", "THEN", "ELSE", "END", "LIKE", "OUTER"}

lines, depth, previous = [""], 0, ""
for match in TOKEN.finditer(sys.stdin.read()):
    kind, text = match.lastgroup, match[0]
    if kind == "space":
        continue
    if kind == "other":
        sys.exit(f"unexpected {text!r} at {match.start()}")
    upper = text.upper()
    if kind == "word" and upper in KEYWORDS:
        text = upper
    if upper in CLAUSES and not (upper == "JOIN" and previous in ("LEFT", "INNER", "OUTER")) and depth == 0 and lines[-1]:
        lines.append("")
    if upper in ("AND", "OR") and depth == 0:
        lines.append("  ")
    depth += (text == "(") - (text == ")")
    glue = "" if not lines[-1].strip() or text in ",);." or lines[-1].endswith(("(", ".")) or (text == "(" and previous not in KEYWORDS and previous.isalnum()) else " "
    lines[-1] += glue + text
    if text == ";":
        lines.append("")
    previous = upper
print("\n".join(line.rstrip() for line in lines).strip())
if depth:
    print(f"{abs(depth)} brackets do not match", file=sys.stderr)
