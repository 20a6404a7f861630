"""Encode or decode stdin with base16, 32, 64, 85 or quoted-printable."""
import argparse
import base64
import binascii
import quopri
import sys

CODECS = {
    "16": (base64.b16encode, lambda data: base64.b16decode(data, casefold=True)),
    "32": (base64.b32encode, base64.b32decode),
    "64": (base64.encodebytes, lambda data: base64.b64decode(data, validate=True)),
    "85": (base64.b85encode, base64.b85decode),
    "a85": (lambda data: base64.a85encode(data, wrapcol=20, adobe=True), lambda data: base64.a85decode(data, adobe=True)),
    "qp": (lambda data: quopri.encodestring(data, quotetabs=True), quopri.decodestring),
}

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("codec", choices=CODECS, help="the encoding")
parser.add_argument("-d", "--decode", action="store_true")
args = parser.parse_args()
data = sys.stdin.buffer.read()
try:
    result = CODECS[args.codec][args.decode](data.strip() if args.decode else data)
except (binascii.Error, ValueError) as error:
    print(f"cannot decode: {error}", file=sys.stderr)
    sys.exit(1)
sys.stdout.buffer.write(result)
sys.stdout.buffer.flush()
print("", len(result), sep="\n")
