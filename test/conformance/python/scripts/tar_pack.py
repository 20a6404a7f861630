"""Make a deterministic .tar.gz in memory, write it, and read it back."""
import gzip
import hashlib
import io
import tarfile

FILES = {"app/main.py": b"print('hi')\n", "app/data/ünïcode-" + "x" * 100 + ".txt": "größe\n".encode(), "README": b""}


def clean(info):
    info.uid = info.gid = 0
    info.uname = info.gname = "root"
    info.mtime = 1_600_000_000
    return info


raw = io.BytesIO()
with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as archive:
    for name, content in sorted(FILES.items()):
        info = tarfile.TarInfo(name)
        info.size = len(content)
        archive.addfile(clean(info), io.BytesIO(content))
    link = tarfile.TarInfo("latest")
    link.type, link.linkname = tarfile.SYMTYPE, "app/main.py"
    archive.addfile(clean(link))

with open("app.tar.gz", "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
    packed.write(raw.getvalue())

with tarfile.open("app.tar.gz", "r:gz") as archive:
    for member in archive:
        print(member.name[:20], member.size, oct(member.mode), member.type, member.linkname or "-")
    print(archive.extractfile("app/main.py").read())
    archive.extract("app/main.py", "extracted")
print(len(raw.getvalue()), hashlib.sha256(raw.getvalue()).hexdigest())
try:
    tarfile.open(fileobj=io.BytesIO(b"x" * 600))
except tarfile.ReadError as error:
    print("ReadError:", str(error).splitlines()[0])
