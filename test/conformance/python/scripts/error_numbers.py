"""Handle errors by number and by name."""
import errno
import os

for attempt in (lambda: open("gone"), lambda: os.mkdir("/tmp"), lambda: os.listdir("/workspace/x/y"), lambda: open("/"), lambda: open("/skill/x", "w")):
    try:
        attempt()
    except OSError as error:
        known = {errno.ENOENT: "missing", errno.EEXIST: "exists", errno.EISDIR: "a folder", errno.EROFS: "read-only"}
        print(known.get(error.errno), errno.errorcode[error.errno], os.strerror(error.errno) == error.strerror, error.filename)
print(isinstance(OSError(errno.ENOENT, "x"), FileNotFoundError), isinstance(OSError(errno.EEXIST, "x"), FileExistsError))
try:
    open("gone.txt")
except OSError as error:
    print(error, error.errno)
