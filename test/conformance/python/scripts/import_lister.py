"""List what Python files import: standard library, local and other modules."""
import ast
import os
import sys
from pathlib import Path


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or ""), node.lineno


root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
local = {path.stem for path in root.rglob("*.py")} | {path.name for path in root.rglob("*") if path.is_dir()}
groups = {"standard": {}, "local": {}, "other": {}}
for path in sorted(root.rglob("*.py")):
    try:
        tree = ast.parse(path.read_bytes(), str(path))
    except (SyntaxError, ValueError) as error:
        print(f"{path}: {type(error).__name__}: {error}", file=sys.stderr)
        continue
    for name, line in imports(tree):
        top = name.split(".")[0]
        group = "local" if name.startswith(".") or top in local else "standard" if top in sys.stdlib_module_names else "other"
        groups[group].setdefault(name, []).append(f"{path.relative_to(root)}:{line}")
for group, names in groups.items():
    print(f"{group} ({len(names)})")
    for name in sorted(names):
        print(f"  {name:<20} {', '.join(names[name])}")
if groups["other"]:
    Path("requirements.txt").write_text("".join(f"{name.split('.')[0]}{os.linesep}" for name in sorted(groups["other"])))
