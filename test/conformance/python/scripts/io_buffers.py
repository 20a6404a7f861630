"""Read and write files in every mode: seek, truncate, newlines, encodings, buffers."""
import io
import os

with open("text.txt", "w", encoding="utf-8", newline="\r\n") as file:
    print(file.write("one\ntwö\nthree"), file.tell(), file.encoding, file.newlines, file.line_buffering)
with open("text.txt", "rb") as file:
    print(file.read(), file.seek(-5, os.SEEK_END), file.readline(), file.read(), file.tell())
with open("text.txt", encoding="utf-8") as file:
    print(file.readline(), repr(file.newlines), file.readlines(), file.read() == "")
with open("text.txt", "r+b") as file:
    file.seek(3)
    file.write(b"<X>")
    file.truncate(8)
    file.seek(0)
    print(file.read(), file.readable(), file.seekable(), file.mode)
with open("text.txt", "ab+") as file:
    file.write(b"!")
    print(file.tell(), file.seek(0), file.peek(3)[:3], file.read1(4), bytearray(2))
for mode, error in (("x", FileExistsError), ("q", ValueError), ("rw", ValueError)):
    try:
        open("text.txt", mode)
    except error as caught:
        print(type(caught).__name__, caught)
try:
    open("text.txt", "rb", buffering=0).write(b"x")
except io.UnsupportedOperation as error:
    print(error, isinstance(error, OSError), isinstance(error, ValueError))
buffer = io.BytesIO(b"abc")
wrapper = io.TextIOWrapper(buffer, encoding="latin-1")
print(wrapper.read(2), buffer.getvalue(), wrapper.detach() is buffer, io.DEFAULT_BUFFER_SIZE)
raw = io.BufferedReader(io.BytesIO(bytes(range(20))), buffer_size=4)
target = bytearray(6)
print(raw.readinto(target), target, raw.peek()[:2], raw.read(3))
text = io.StringIO("a\nb\r\nc\rd", newline=None)
print(text.readlines(), text.tell(), text.seek(0), text.getvalue())
for encoding in ("utf-16", "utf-8-sig", "latin-1", "ascii", "cp1252", "utf-7", "idna", "punycode"):
    try:
        print(encoding, "ü".encode(encoding))
    except UnicodeEncodeError as error:
        print(encoding, error)
print(b"\xff\xfea".decode("utf-8", "replace"), b"\xe9".decode("utf-8", "backslashreplace"), "ü€".encode("ascii", "xmlcharrefreplace"), "ü".encode("ascii", "namereplace"))
os.remove("text.txt")
