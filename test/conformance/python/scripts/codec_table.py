"""Encode a text with many codecs, and decode what is broken."""
import codecs
import sys

text = sys.argv[1] if len(sys.argv) > 1 else "Grüße € 日本 😀"
for name in ("utf-8", "utf-16-le", "utf-32-be", "latin-1", "cp1252", "iso8859-15", "cp437", "koi8-r", "shift_jis", "gb2312", "big5", "euc-kr", "utf-7", "ascii", "mac-roman", "cp037", "hz"):
    encoded = text.encode(name, "replace")
    print(f"{codecs.lookup(name).name:<12} {len(encoded):>3} {encoded[:16].hex()} {encoded.decode(name, 'replace')[:12]!a}")
for name in ("rot13", "hex", "base64", "quopri", "uu", "zlib"):
    source = text if name == "rot13" else text.encode()
    coded = codecs.encode(source, name)
    print(name, repr(coded)[:60] if name != "zlib" else codecs.decode(coded, name) == source)
decoder = codecs.getincrementaldecoder("utf-8")("strict")
print([decoder.decode(bytes([byte])) for byte in "ü€".encode()], decoder.getstate())
codecs.register_error("marked", lambda error: (f"<{error.object[error.start:error.end]!a}>", error.end))
print(b"a\xffb\xfe".decode("ascii", "marked"), "ü".encode("ascii", "marked"), codecs.BOM_UTF8)
with codecs.open("out.txt", "w", "utf-16") as file:
    file.write(text)
with codecs.open("out.txt", "r", "utf-16") as file:
    print(file.read() == text)
for broken, name in ((b"\xc3\x28", "utf-8"), (b"\xed\xa0\x80", "utf-8"), (b"\x00", "utf-16"), (b"\x81", "cp1252"), (b"x", "no-such-codec"), (b"\xf8\xa1", "utf-8")):
    try:
        print(broken.decode(name))
    except (UnicodeError, LookupError) as error:
        print(type(error).__name__, error)
