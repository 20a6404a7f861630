"""Report names, scopes and bytecode facts of Python source with symtable and dis."""
import dis
import io
import symtable
import sys

source = sys.stdin.read() or "x = 1\ndef f(a):\n    global x\n    def g():\n        nonlocal a\n        a = x\n    return g\nclass C:\n    y = [i for i in (1, 2)]\n"


def show(table, depth=0):
    print("  " * depth + f"{table.get_type()} {table.get_name()} line {table.get_lineno()}")
    for symbol in sorted(table.get_symbols(), key=lambda symbol: symbol.get_name()):
        kinds = [kind for kind in ("parameter", "global", "local", "free", "nonlocal", "assigned", "imported") if getattr(symbol, f"is_{kind}")()]
        print("  " * depth + f"  {symbol.get_name()}: {', '.join(kinds)}")
    for child in table.get_children():
        show(child, depth + 1)


try:
    show(symtable.symtable(source, "<stdin>", "exec"))
except SyntaxError as error:
    sys.exit(f"{error.msg} (line {error.lineno}, column {error.offset})")
code = compile(source, "<stdin>", "exec")
print(sorted({instruction.opname for instruction in dis.get_instructions(code)}), code.co_stacksize, dis.code_info(code).splitlines()[0])
out = io.StringIO()
dis.dis("a + b * 2", file=out)
print(out.getvalue(), dis.stack_effect(dis.opmap["LOAD_CONST"], 0), dis.COMPILER_FLAG_NAMES[1])
