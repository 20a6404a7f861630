"""Convert JSON to a property list, XML or binary, and read it back."""
import json
import plistlib
import sys
from datetime import datetime

data = json.load(sys.stdin)
data["made"] = datetime(2026, 1, 2, 3, 4, 5)
data["raw"] = b"\0\1\xff"
print(plistlib.dumps(data, sort_keys=False).decode())
binary = plistlib.dumps(data, fmt=plistlib.FMT_BINARY)
print(len(binary), binary[:8], plistlib.loads(binary) == plistlib.loads(plistlib.dumps(data)) == data)
with open("out.plist", "wb") as file:
    plistlib.dump(data, file, fmt=plistlib.FMT_BINARY)
for bad in (b"<plist><dict></plist>", b"nothing", {"x": None}):
    try:
        print(plistlib.loads(bad) if isinstance(bad, bytes) else plistlib.dumps(bad))
    except Exception as error:
        print(type(error).__name__, error)
