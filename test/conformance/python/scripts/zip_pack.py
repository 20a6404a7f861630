"""Pack a folder into a reproducible ZIP archive, then list and verify it."""
import argparse
import os
import sys
import zipfile
from pathlib import Path


def pack(folder, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.comment = b"made by zip_pack"
        for path in sorted(folder.rglob("*")):
            if path.is_dir():
                continue
            info = zipfile.ZipInfo(path.relative_to(folder).as_posix(), date_time=(2020, 1, 1, 0, 0, 0))
            info.external_attr = 0o644 << 16
            info.compress_type = zipfile.ZIP_STORED if path.suffix == ".png" else zipfile.ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())


def show(path):
    with zipfile.ZipFile(path) as archive:
        for info in archive.infolist():
            print(f"{info.file_size:>8} {info.CRC:08x} {info.filename}")
        broken = archive.testzip()
        print("broken:", broken)


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("action", choices=["pack", "list", "extract"])
parser.add_argument("archive", type=Path)
parser.add_argument("folder", type=Path, nargs="?", default=Path("."))
args = parser.parse_args()
try:
    if args.action == "pack":
        pack(args.folder, args.archive)
        show(args.archive)
    elif args.action == "list":
        show(args.archive)
    else:
        with zipfile.ZipFile(args.archive) as archive:
            archive.extractall(args.folder)
        print(sorted(os.listdir(args.folder)))
except zipfile.BadZipFile as error:
    print(f"{args.archive}: {error}", file=sys.stderr)
    sys.exit(1)
