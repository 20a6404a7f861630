#!/usr/bin/python3 -u
# A script without functions, as many are: everything at the top level.
import json, os, sys
data = {}
if len(sys.argv) < 2:
    print("Usage: %s KEY=VALUE..." % os.path.basename(sys.argv[0]))
    sys.exit(1)
for arg in sys.argv[1:]:
    k, v = arg.split("=", 1)
    data[k] = v
f = open("settings.json", "w")
json.dump(data, f, indent=4)
print("Saved %d settings to %s" % (len(data), f.name))
