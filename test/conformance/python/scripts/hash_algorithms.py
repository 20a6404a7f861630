"""The digests of stdin with every algorithm that is always available."""
import hashlib
import hmac
import sys
import zlib

data = sys.stdin.buffer.read()
for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"):
    state = getattr(hashlib, name)(data)
    print(f"{state.name:<9} {state.digest_size:>3} {state.block_size:>4} {state.hexdigest()[:40]}")
for name in ("shake_128", "shake_256"):
    print(name, getattr(hashlib, name)(data).hexdigest(20))
print(hashlib.blake2b(data, digest_size=8, key=b"key", salt=b"salt", person=b"person").hexdigest())
copy = hashlib.sha256(b"a")
other = copy.copy()
other.update(data)
print(copy.hexdigest()[:8], other.hexdigest()[:8], zlib.crc32(data))
print(hmac.new(b"key", data, "sha512").hexdigest()[:32], hmac.digest(b"key", data, "md5").hex())
try:
    hashlib.new("no-such-hash")
except ValueError as error:
    print(error)
