"""Write a small BMP picture with struct, and read its header back."""
import struct
from array import array

WIDTH, HEIGHT = 13, 7
HEADER = struct.Struct("<2sIHHI")
INFO = struct.Struct("<IiiHHIIiiII")

row_size = (WIDTH * 3 + 3) // 4 * 4
pixels = bytearray(row_size * HEIGHT)
for y in range(HEIGHT):
    for x in range(WIDTH):
        struct.pack_into("<BBB", pixels, y * row_size + x * 3, x * 19 % 256, y * 36 % 256, (x ^ y) * 16 % 256)
offset = HEADER.size + INFO.size
with open("picture.bmp", "wb") as file:
    file.write(HEADER.pack(b"BM", offset + len(pixels), 0, 0, offset))
    file.write(INFO.pack(INFO.size, WIDTH, HEIGHT, 1, 24, 0, len(pixels), 2835, -1, 0, 0))
    file.write(pixels)

data = open("picture.bmp", "rb").read()
print(HEADER.unpack_from(data), INFO.unpack_from(data, HEADER.size), len(data))
print(struct.pack(">hiq", -1, 2, -3).hex(), struct.pack("<e d ?", 1.5, -0.1, True).hex(), struct.calcsize("<bhiq"), struct.calcsize("bi"))
print(list(struct.iter_unpack(">H", b"\0\1\0\2")), struct.unpack("5s3x2p", b"hello...\1z"), struct.pack("10p", b"pascal"))
for bad in (("B", 300), ("<h", 40000), ("i", "x"), ("Z", 1)):
    try:
        struct.pack(*bad)
    except struct.error as error:
        print("error:", error)
numbers = array("h", [1, -2, 300])
numbers.extend(range(3))
swapped = array("h", numbers)
swapped.byteswap()
print(numbers, swapped.tolist(), numbers.tobytes().hex(), numbers.itemsize, array("d", [0.5]).tobytes().hex(), array("u", "añ"))
view = memoryview(bytearray(b"abcdefgh")).cast("H")
print(view[1], view.shape, view[::2].tolist(), view.tobytes()[:3], memoryview(numbers).format)
