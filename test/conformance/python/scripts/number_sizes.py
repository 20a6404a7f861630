"""How large numbers, hashes and objects are on this platform."""
import random
import struct
import sys

print(sys.maxsize, sys.maxsize > 2**32, struct.calcsize("P"), struct.calcsize("l"), sys.hash_info.width, hash(2**61), hash(-1), hash(0.5))
print(hash(10**20), sys.getsizeof(0) > 0, sys.platform, sys.flags.utf8_mode, random.Random(2.5).random())
