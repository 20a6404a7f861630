"""Check a ticket's moves against its workflow."""
import sys
from enum import Enum, Flag, IntEnum, StrEnum, auto, unique


class State(StrEnum):
    OPEN = auto()
    DOING = auto()
    DONE = auto()
    CLOSED = "done"


class Priority(IntEnum):
    LOW = 1
    HIGH = 10


class Right(Flag):
    READ = auto()
    WRITE = auto()
    ADMIN = READ | WRITE | 8


class Planet(Enum):
    EARTH = (5.976e24, 6.378e6)
    MARS = (6.421e23, 3.397e6)

    def __init__(self, mass, radius):
        self.gravity = round(6.6743e-11 * mass / radius**2, 3)


MOVES = {State.OPEN: {State.DOING}, State.DOING: {State.OPEN, State.DONE}, State.DONE: set()}

state = State.OPEN
for word in sys.argv[1:]:
    try:
        new = State(word)
    except ValueError as error:
        print(error, "- one of", ", ".join(State), file=sys.stderr)
        sys.exit(2)
    if new not in MOVES[state]:
        print(f"cannot move from {state} to {new}")
        sys.exit(1)
    print(f"{state} -> {new!r}")
    state = new
print(State.CLOSED is State.DONE, list(State.__members__), Priority.HIGH > 3, Priority(1).name, f"{Priority.LOW}")
print(Right.READ | Right.WRITE, Right.ADMIN & ~Right.READ, Right(0), Right.WRITE in Right.ADMIN, list(Right.ADMIN))
print(Planet.MARS.gravity, Planet["EARTH"].value)
try:
    @unique
    class Twice(Enum):
        A = 1
        B = 1
except ValueError as error:
    print(error)
