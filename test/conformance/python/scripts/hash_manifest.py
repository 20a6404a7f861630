"""Write or verify a SHA-256 manifest of a folder."""
import argparse
import hashlib
import sys
from pathlib import Path


def digest(path, name):
    state = hashlib.new(name)
    with path.open("rb") as file:
        while chunk := file.read(8192):
            state.update(chunk)
    return state.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--algorithm", default="sha256", choices=["md5", "sha1", "sha256", "sha512", "sha3_256", "blake2b"])
    parser.add_argument("--check", type=Path, metavar="MANIFEST")
    args = parser.parse_args()
    files = {path.relative_to(args.folder).as_posix(): path for path in sorted(args.folder.rglob("*")) if path.is_file()}
    if args.check is None:
        for name, path in files.items():
            print(f"{digest(path, args.algorithm)}  {name}")
        return 0
    bad = 0
    for line in args.check.read_text().splitlines():
        expected, _, name = line.partition("  ")
        path = files.pop(name, None)
        status = "missing" if path is None else "ok" if digest(path, args.algorithm) == expected else "changed"
        bad += status != "ok"
        print(f"{name}: {status}")
    for name in files:
        print(f"{name}: not listed")
    return min(bad, 1)


if __name__ == "__main__":
    sys.exit(main())
