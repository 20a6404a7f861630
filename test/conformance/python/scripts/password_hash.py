"""Hash and check passwords with PBKDF2."""
import base64
import hashlib
import hmac
import sys

ROUNDS = 100


def hashed(password, salt):
    digest = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
    return f"pbkdf2${ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def matches(password, stored):
    _, rounds, salt, digest = stored.split("$")
    made = hashlib.pbkdf2_hmac("sha256", password.encode(), base64.b64decode(salt), int(rounds))
    return hmac.compare_digest(made, base64.b64decode(digest))


password = sys.stdin.readline().rstrip("\n")
stored = hashed(password, b"fixed salt")
print(stored, matches(password, stored), matches(password + "x", stored))
