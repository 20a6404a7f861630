"""Numbers in every format of the mini language, and errors of parsing them."""
for spec in ("", "d", "b", "o", "x", "X", "#x", "#b", ",", "_", "_x", "08d", "+d", " d", "<8", ">8", "^8", "*^9", "=+9", "e", ".2f", "g", "%", "n", "c"):
    print(f"{spec!r:>8}", f"|{format(0x41, spec)}|", f"|{format(-65, spec) if spec != 'c' else '-'}|")
for spec in ("", "f", ".0f", ".3e", "g", ".3g", "#.3g", "E", "%", ",.2f", "+.1f", "010.2f", "z.0f", "r" if False else "n"):
    print(f"{spec!r:>8}", *(f"|{format(value, spec)}|" for value in (0.0, -0.4, 1234.5678, 1e16, 1e-7, float("inf"), float("nan"))))
for value in (0.1, 1 / 3, 1e22, 1e23, 123456789012345680.0, 5e-324, 1.7976931348623157e308, 2**53 + 1.0, 100.0, 1e16, 1e-5):
    print(repr(value), str(value), value.hex(), value.as_integer_ratio()[1].bit_length(), "%g" % value, "%.17g" % value, "%r" % value)
print("%5.1f|%-6s|%06d|%+x|%o|%c|%%|%s" % (3.14159, "ab", -42, 255, 8, 65, [1]), "%(a)s %(b)03d" % {"a": "x", "b": 7}, "%*.*f" % (8, 2, 2.5))
print("{0} {1!r:>6} {0!s:.2} {name[key]} {obj.real:.1f} {{}}".format("abc", "d", name={"key": "v"}, obj=2 + 1j))
print(f"{'nested':{'*'}^{10}}", f"{3.0!r}", f"{1_000_000:,}", f"{12:0>5}", f"{True:d}", f"{'x' * 3!a}", f"{2 + 2 = }", f"{'ü'!a}")
print(int("0x1f", 0), int("-0b101", 0), int("z", 36), int(" 1_000 "), float(" -1e-3 "), float("1_0.5"), float("infinity"), round(1234.5, -2), round(-0.5), int(-3.9))
for text in ("1__0", "0x", "1.5", "", "٣a", "9" * 5000):
    try:
        print(int(text))
    except ValueError as error:
        print("ValueError:", str(error)[:90])
for spec in ("q", ".3d", ",x", "10.5.2f", "=s"):
    try:
        print(format("x" if spec.endswith("s") else 1, spec))
    except ValueError as error:
        print("ValueError:", error)
