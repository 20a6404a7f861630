"""Describe the characters of the arguments and of stdin."""
import sys
import unicodedata as ud


def describe(character):
    name = ud.name(character, f"<no name U+{ord(character):04X}>")
    return f"U+{ord(character):04X} {ud.category(character)} {ud.bidirectional(character):<3} {ud.east_asian_width(character):<2} {ud.combining(character):>3} {name}"


for argument in [*sys.argv[1:], sys.stdin.read()]:
    print(ascii(argument), len(argument), len(argument.encode()), argument.isidentifier(), argument.casefold())
    for character in argument:
        print(" ", describe(character))
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        print(" ", form, ascii(ud.normalize(form, argument)), ud.is_normalized(form, argument))
print(ud.unidata_version, ud.lookup("SNOWMAN"), "\N{GREEK SMALL LETTER ALPHA}", ud.numeric("⅔"), ud.digit("٣"), ud.decomposition("é"), ud.mirrored("("))
print("ǆ".title(), "ß".upper(), "İ".lower().encode(), "ﬁ".upper(), "١٢".isdecimal(), int("١٢"), "a\u0301".isalpha(), "\u00a0".isspace(), "𝕏".isprintable(), "x\u200b".isprintable())
print("straße".center(11, "·"), "Ünïcödé".translate({ord("ü"): "ue", ord("ï"): None}), "a-b_c".split("-"), "tab\tx".expandtabs(4), sorted(["é", "z", "a", "Z"]))
