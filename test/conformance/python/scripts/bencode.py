"""Encode JSON from stdin as bencode, decode it again, and report its hash."""
import hashlib
import json
import sys


def encode(value):
    match value:
        case bool() | None:
            raise TypeError(f"cannot encode {value!r}")
        case int():
            return b"i%de" % value
        case str():
            return encode(value.encode())
        case bytes():
            return b"%d:%s" % (len(value), value)
        case list():
            return b"l%se" % b"".join(map(encode, value))
        case dict():
            return b"d%se" % b"".join(encode(key) + encode(inner) for key, inner in sorted(value.items()))
    raise TypeError(f"cannot encode {type(value).__name__}")


def decode(data, position=0):
    head = data[position:position + 1]
    if head == b"i":
        end = data.index(b"e", position)
        return int(data[position + 1:end]), end + 1
    if head in (b"l", b"d"):
        items, position = [], position + 1
        while data[position:position + 1] != b"e":
            item, position = decode(data, position)
            items.append(item)
        return (items if head == b"l" else dict(zip(items[::2], items[1::2]))), position + 1
    end = data.index(b":", position)
    stop = end + 1 + int(data[position:end])
    return data[end + 1:stop], stop


try:
    encoded = encode(json.load(sys.stdin))
except (TypeError, ValueError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
print(encoded, decode(encoded)[0], hashlib.sha1(encoded).hexdigest(), sep="\n")
open("out.torrent", "wb").write(encoded)
