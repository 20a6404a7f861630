"""Run snippets with compile, exec and eval, and report their errors."""
import codeop
import sys
import traceback

SNIPPETS = ["x = 6", "x * 7", "def f(n): return n * x\nf(3)", "print('inside', x)", "1 +", "x = = 1", "undefined_name", "[i for i in range(3)]", "if x:\nprint()", "\tx", "'unclosed", "return 5", "f'{x!z}'", "a, b = 1", "x.y = 1", "print 'old'", "f(", "0777", "await x", "import no_module_here"]

namespace = {"__name__": "snippet"}
for number, source in enumerate(SNIPPETS + sys.argv[1:]):
    name = f"<snippet {number}>"
    try:
        try:
            result = eval(compile(source, name, "eval"), namespace)
        except SyntaxError:
            result = exec(compile(source, name, "exec"), namespace)
        print(f"{number}: {result!r}")
    except Exception as error:
        print(f"{number}: {''.join(traceback.format_exception_only(error))}", end="")
print(sorted(key for key in namespace if not key.startswith("__")), codeop.compile_command("if x:") is None)
local = {}
exec("y = z + 1; del z", {"z": 9, "__builtins__": {}}, {"z": 1} | local)
try:
    eval("open('x')", {"__builtins__": {"len": len}})
except NameError as error:
    print(error)
code = compile("a = 1\nb = a + c", "file.py", "exec", dont_inherit=True, optimize=2)
print(code.co_names, code.co_consts, code.co_filename, eval(compile("__debug__", "", "eval", optimize=1)), [*code.co_positions()][0][:2])
exec("raise ValueError('from exec')")
