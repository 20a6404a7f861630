"""Rewrite a log with regular expressions: groups, lookarounds, functions, flags."""
import re
import sys

text = sys.stdin.read()
print(re.findall(r"\b(\w+)@(\w+)\.(?:com|org)\b", text))
print(re.sub(r"(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)", r"\g<day>.\g<month>.\g<year>", text), end="")
print(re.sub(r"\b[a-z]", lambda match: match[0].upper(), text, count=3).splitlines()[:1])
print(re.split(r"\s*[,;]\s*|\n", text.strip()), re.split(r"([,;])", "a,b;c", maxsplit=1))
print(re.findall(r"(?<=\$)\d+(?:\.\d\d)?(?!\d)", "cost $15.50, $7 and 9"), re.findall(r"(?<!un)happy", "happy unhappy"), re.findall(r"(?i:ü)\w", "ÜB üa"))
print([(match.start(), match.span(1), match.lastgroup, match.groups("-")) for match in re.finditer(r"(?P<a>x)|(?P<b>y)(z)?", "axyyz")])
print(re.match(r"(?x) ^ (\d+) \s* # number\n ([a-z]*)", "12 px").groups(), re.fullmatch(r"\d+", "12\n"), re.search(r"^b$", "a\nb\nc", re.M), re.findall(r"a.b", "a\nb axb", re.S))
print(re.findall(r"\w+", "naïve café 日本 x_1"), re.findall(r"\w+", "naïve café", re.A), re.escape("a.b*[c] ü"), re.subn(r"(a)(b)?", r"[\1\2]", "abaa"))
print(re.findall(r"(\w)\1", "aabbcd"), re.search(r"(a+)(?=b)(?:b|c)+?", "caaabbb")[0], re.findall(r"(?s:.)(?-i:X)", "axbX", re.I), re.findall(r"a{2,3}?|b*+", "aaaabb"), re.search(r"(?>a+)ab", "aaab"))
print(bytes(re.sub(rb"[\x80-\xff]", b"?", text.encode())[:10]), re.compile("a|b").flags, re.compile(r"(?P<n>x)(y)").groupindex, re.purge(), repr(re.search("b", "abc")))
for pattern in ("(", "[a", "*a", r"(?P<1>x)", r"(?<=a+)b", r"\1", "a{3,1}", "(?z)", "x**", r"\p"):
    try:
        re.compile(pattern)
    except re.error as error:
        print(f"{pattern!r}: {error} ({error.pos}, {error.lineno}, {error.colno})")
class Lexer(re.Scanner): pass
print(Lexer([(r"\d+", lambda scanner, token: int(token)), (r"[a-z]+", lambda scanner, token: token), (r"\s+", None)]).scan("12 ab 3 !"))
