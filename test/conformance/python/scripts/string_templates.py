"""Fill templates of three kinds from JSON, and report what is missing."""
import json
import string
import sys


class Report(string.Formatter):
    def get_value(self, key, args, kwargs):
        return kwargs.get(key, f"<{key}?>") if isinstance(key, str) else super().get_value(key, args, kwargs)

    def convert_field(self, value, conversion):
        return str(value).upper() if conversion == "u" else super().convert_field(value, conversion)

    def format_field(self, value, spec):
        return super().format_field(value, spec) if not isinstance(value, str) or not spec.endswith("f") else value


values = json.loads(sys.stdin.read() or "{}")
formatter = Report()
for template in sys.argv[1:] or ["{name!u} has {count:>5d} of {total:.1f}", "{0}-{missing}", "{list[1]}{name!r:>10}"]:
    try:
        print(formatter.format(template, "first", **values))
    except (ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
        print(f"{template!r}: {type(error).__name__}: {error}")
print(list(string.Formatter().parse("a{b!r:>{w}}c{{")), string.Template("$a ${b}x $$").safe_substitute(a=1), string.Template("$a $").is_valid(), string.Template("${x} $y").get_identifiers())
print(string.capwords("hello  big world"), string.ascii_letters[:3], string.punctuation, string.whitespace.encode())
table = str.maketrans("abc", "xyz", "d")
print("abcd".translate(table), "%(name)s is %(count)03d" % {"name": "x", "count": 7}, "Title Case".swapcase(), "a,b;c".replace(",", ";").split(";"), "x".join("abc"), "pre-fix".removeprefix("pre-"), "42".zfill(5), "ab\ncd".splitlines(True), "aXbX".rpartition("X"))
