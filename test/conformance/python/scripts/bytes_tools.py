"""Work on bytes: search, translate, split, pack, and views of them."""
import sys

data = sys.stdin.buffer.read() or b"The quick brown fox\x00\xff"
print(data.hex(" ", -4), bytes.fromhex("de ad be ef"), data.upper(), data.title(), data.swapcase(), data.find(b"o"), data.count(b"o"))
print(data.split(maxsplit=2), data.partition(b" "), data.rsplit(b" ", 1), data.replace(b" ", b"__", 1), data.translate(bytes(range(255, -1, -1)), b"aeiou")[:6])
mutable = bytearray(data)
mutable[0:3] = b"A"
mutable.extend([1, 2])
mutable.insert(0, 0x2A)
del mutable[-1]
print(mutable, mutable.pop(), len(mutable), mutable[::-1][:4], mutable * 2 == mutable + mutable)
view = memoryview(mutable)
view[1:3] = b"ZZ"
print(mutable[:5], view[:4].tolist(), view.readonly, memoryview(b"x").readonly, view.nbytes)
try:
    mutable.append(1)
except BufferError as error:
    print(error)
view.release()
print(b"%-8s|%04d|%x" % (b"ab", 7, 255), b"a,b,,c".split(b","), b"\tx\n".strip(), b"abc".isalpha(), b"-".join([b"a", b"b"]), b"abc".removeprefix(b"a"), int.from_bytes(b"\x01\x00", "big"))
for broken in (lambda: bytes([256]), lambda: b"a" + "b", lambda: b"abc"["x"], lambda: bytes.fromhex("zz"), lambda: b"\xff".decode(), lambda: bytearray(-1)):
    try:
        broken()
    except Exception as error:
        print(type(error).__name__, error)
print(repr(b"it's \"q\" \\ \t\x7f\x80"), bytes(3), bytes("ü", "latin-1"), list(b"ab"), 98 in b"abc", b"b" in b"abc", sorted({b"x", b"a"}), b"a" < b"b", hash(b"") == hash(""))
