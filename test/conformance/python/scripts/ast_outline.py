"""Outline Python files: classes, functions, docstrings, complexity."""
import argparse
import ast
import sys
from pathlib import Path

BRANCHES = (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.BoolOp, ast.IfExp, ast.comprehension, ast.match_case)


class Outline(ast.NodeVisitor):
    def __init__(self):
        self.depth, self.lines, self.missing = 0, [], 0

    def visit_ClassDef(self, node):
        self.add(node, f"class {node.name}({', '.join(map(ast.unparse, node.bases))})")

    def visit_FunctionDef(self, node):
        returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
        score = 1 + sum(isinstance(each, BRANCHES) for each in ast.walk(node))
        self.add(node, f"def {node.name}({ast.unparse(node.args)}){returns} [{score}]")

    visit_AsyncFunctionDef = visit_FunctionDef

    def add(self, node, text):
        document = ast.get_docstring(node)
        self.missing += document is None
        self.lines.append(f"{node.lineno:>4} {'  ' * self.depth}{text}" + (f"  # {document.splitlines()[0]}" if document else ""))
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("files", nargs="*", type=Path, default=[Path(__file__)])
parser.add_argument("--fail-under", type=int, default=0, metavar="PERCENT", help="fail below this share of docstrings (%(default)s%%)")
args = parser.parse_args()
total = missing = 0
for path in args.files:
    try:
        tree = ast.parse(path.read_text(), filename=str(path))
    except SyntaxError as error:
        print(f"{path}:{error.lineno}:{error.offset}: {error.msg}: {error.text!r}", file=sys.stderr)
        sys.exit(3)
    outline = Outline()
    outline.visit(tree)
    print(path.name, *outline.lines, sep="\n")
    total, missing = total + len(outline.lines), missing + outline.missing
share = 100 if not total else 100 * (total - missing) // total
print(f"{share}% documented")
sys.exit(share < args.fail_under)
