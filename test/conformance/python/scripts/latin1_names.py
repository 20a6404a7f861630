"""Rename files whose names are in an old encoding."""
import os

folder = "/tmp/old"
os.mkdir(folder)
for name in (b"caf\xe9.txt", b"plain.txt", "schön.txt".encode()):
    with open(os.path.join(os.fsencode(folder), name), "wb") as file:
        file.write(name)
for name in sorted(os.listdir(folder)):
    raw = os.fsencode(name)
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        print(f"{name!a}: byte {error.start} is no UTF-8", name.encode("ascii", "replace"))
        os.rename(os.path.join(folder, name), os.path.join(folder, raw.decode("latin-1")))
print(sorted(os.listdir(folder)))
