"""Compress a stream in chunks and compare levels, checksums and errors."""
import binascii
import gzip
import zlib

text = "".join(f"line {number}: {'ab' * (number % 7)}\n" for number in range(400)).encode()
compressor = zlib.compressobj(level=6, wbits=zlib.MAX_WBITS)
chunks = [compressor.compress(text[start:start + 1000]) for start in range(0, len(text), 1000)]
data = b"".join(chunks) + compressor.flush()
print(len(text), len(data), f"{zlib.adler32(text):08x} {zlib.crc32(text):08x} {binascii.crc32(data):08x}")
print([len(zlib.compress(text, level)) for level in range(10)])

decompressor = zlib.decompressobj()
first = decompressor.decompress(data, 50)
rest = decompressor.decompress(decompressor.unconsumed_tail) + decompressor.flush()
print(first[:20], first + rest == text, decompressor.eof)
print(zlib.decompress(zlib.compress(b"with dictionary"), bufsize=1))
dictionary = zlib.compressobj(zdict=b"line ab: ")
small = dictionary.compress(b"line ab: line") + dictionary.flush()
print(len(small), zlib.decompressobj(zdict=b"line ab: ").decompress(small))
print(gzip.decompress(gzip.compress(text, mtime=0)) == text, gzip.compress(b"", mtime=0).hex())
for broken in (data[:40], b"junk", data[:-1] + b"\0"):
    try:
        zlib.decompress(broken)
    except zlib.error as error:
        print("error:", error)
