"""Rewrite expressions: fold constants, rename variables, and evaluate them safely."""
import ast
import operator
import sys

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: operator.pow, ast.USub: operator.neg, ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}


class Fold(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        if isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant) and type(node.op) in OPERATORS:
            try:
                value = OPERATORS[type(node.op)](node.left.value, node.right.value)
            except (ArithmeticError, TypeError):
                return node
            return ast.copy_location(ast.Constant(value), node)
        return node

    def visit_Name(self, node):
        return ast.copy_location(ast.Name(id=f"v_{node.id}", ctx=node.ctx), node)


def evaluate(node):
    match node:
        case ast.Expression(body=body):
            return evaluate(body)
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)](evaluate(left), evaluate(right))
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATORS:
            return OPERATORS[type(op)](evaluate(operand))
    raise ValueError(f"{type(node).__name__} is not allowed")


for text in sys.argv[1:]:
    try:
        tree = ast.parse(text, mode="eval")
        print(ast.unparse(tree), "=>", ast.unparse(Fold().visit(ast.parse(text, mode="eval"))))
        print("  =", evaluate(tree))
    except (SyntaxError, ValueError, ZeroDivisionError) as error:
        print("  !", type(error).__name__, error)
print(ast.dump(ast.parse("x: int = [y := 1, *z]"), indent=1))
print(ast.literal_eval("{'a': [1, 2.5, None, True, b'x', (1,), {2}], -1: 1+2j}"))
