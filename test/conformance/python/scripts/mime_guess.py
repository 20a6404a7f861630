"""Guess types of file names, and group them."""
import mimetypes
import sys

types = mimetypes.MimeTypes(filenames=())
types.add_type("text/x-skill", ".skill")
groups = {}
for name in sys.argv[1:]:
    kind, encoding = types.guess_type(name)
    groups.setdefault((kind or "unknown/").split("/")[0], []).append(f"{name}={kind}" + (f"+{encoding}" if encoding else ""))
for group, names in sorted(groups.items()):
    print(f"{group}: {', '.join(names)}")
print(types.guess_all_extensions("text/html"), types.guess_extension("image/png"), types.guess_extension("x/y"))
