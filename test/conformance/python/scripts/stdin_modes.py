"""Read stdin as the argument says: lines, text, bytes, characters, or not at all."""
import os
import sys

mode = sys.argv[1] if len(sys.argv) > 1 else "text"
if mode == "lines":
    print([line for line in sys.stdin])
elif mode == "readlines":
    print(sys.stdin.readlines(), sys.stdin.read() == "")
elif mode == "bytes":
    print(sys.stdin.buffer.read())
elif mode == "characters":
    while character := sys.stdin.read(1):
        print(ascii(character), end=" ")
    print()
elif mode == "descriptor":
    print(os.read(0, 5), os.read(0, 100), os.read(0, 1))
elif mode == "open":
    with open(0, encoding="utf-8", newline="") as stream:
        print(repr(stream.readline()), repr(stream.read(3)))
elif mode == "enumerate":
    for number, line in enumerate(sys.stdin, 1):
        print(f"{number}: {line.rstrip()}")
        if number == 2:
            break
    print("next:", repr(next(sys.stdin, None)))
elif mode == "ignored":
    print("stdin ignored")
elif mode == "closed":
    sys.stdin.close()
    try:
        sys.stdin.read()
    except ValueError as error:
        print(error)
else:
    print(repr(sys.stdin.read()))
