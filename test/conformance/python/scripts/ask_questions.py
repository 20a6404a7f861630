"""Ask for a name and a number on stdin."""
import sys

try:
    name = input("Name? ")
    number = int(input())
    print(f"\nHello {name}, {number * 2}")
    rest = sys.stdin.read()
    print(f"{len(rest)} characters left: {rest!r}")
    input("More? ")
except EOFError as error:
    print()
    print("end of input:", error)
    sys.exit(1)
