"""Echo arguments in several forms."""
import os
import sys

print(len(sys.argv) - 1)
for argument in sys.argv[1:]:
    print(argument, ascii(argument), os.fsencode(argument), len(argument))
print(sys.getdefaultencoding(), sys.getfilesystemencoding(), sys.getfilesystemencodeerrors(), os.path.basename(sys.argv[0]))
