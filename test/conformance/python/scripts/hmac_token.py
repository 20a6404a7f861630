"""Sign and verify URL-safe tokens with a secret from the environment."""
import argparse
import base64
import binascii
import hashlib
import hmac
import json
import os
import sys


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sign(payload, key):
    head = encode(json.dumps({"alg": "HS256", "typ": "JWT"}, separators=(",", ":")).encode())
    body = encode(json.dumps(payload, separators=(",", ":"), sort_keys=True).encode())
    return f"{head}.{body}.{encode(hmac.new(key, f'{head}.{body}'.encode(), hashlib.sha256).digest())}"


def verify(token, key):
    try:
        head, body, signature = token.split(".")
        expected = hmac.new(key, f"{head}.{body}".encode(), hashlib.sha256).digest()
        if not hmac.compare_digest(expected, decode(signature)):
            return "signature does not match"
        return json.loads(decode(body))
    except (ValueError, binascii.Error) as error:
        return f"malformed: {error}"


parser = argparse.ArgumentParser(description=__doc__)
commands = parser.add_subparsers(dest="command", title="commands")
commands.add_parser("sign").add_argument("claims", nargs="+", metavar="NAME=VALUE")
commands.add_parser("verify", aliases=["check"]).add_argument("token")
args = parser.parse_args()
key = os.environ.get("CORPUS_KEY", "").encode()
if not key:
    sys.exit("set CORPUS_KEY")
if args.command == "sign":
    print(sign(dict(claim.split("=", 1) for claim in args.claims), key))
elif args.command in ("verify", "check"):
    print(verify(args.token, key))
else:
    parser.print_help()
