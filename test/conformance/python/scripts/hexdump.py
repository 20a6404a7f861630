"""Print a hex dump of a file, or restore one with -r."""
import binascii
import sys
from pathlib import Path


def dump(data, width=16):
    for start in range(0, len(data), width):
        row = data[start:start + width]
        left = " ".join(f"{byte:02x}" for byte in row)
        text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
        yield f"{start:08x}  {left:<{width * 3 - 1}}  |{text}|"
    yield f"{len(data):08x}"


def restore(lines):
    for line in lines:
        yield binascii.unhexlify("".join(line[10:57].split()))


if sys.argv[1:2] == ["-r"]:
    data = b"".join(restore(sys.stdin))
    Path("restored.bin").write_bytes(data)
    print(len(data), binascii.hexlify(data, " ", 4).decode(), binascii.crc_hqx(data, 0))
else:
    print("\n".join(dump(Path(sys.argv[1]).read_bytes())))
