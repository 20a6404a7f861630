"""Areas of shapes given as `kind:numbers`, with protocols, generics and overloads."""
import math
import sys
from typing import Annotated, Generic, NamedTuple, Protocol, TypedDict, TypeVar, get_args, get_type_hints, runtime_checkable


@runtime_checkable
class Shape(Protocol):
    def area(self) -> float: ...


class Circle(NamedTuple):
    radius: Annotated[float, "metres"]

    def area(self) -> float:
        return math.pi * self.radius**2


class Rectangle(NamedTuple):
    width: float
    height: float = 1.0

    def area(self) -> float:
        return self.width * self.height


T = TypeVar("T", bound=Shape)


class Largest(Generic[T]):
    def __init__(self) -> None:
        self.found: T | None = None

    def offer(self, shape: T) -> None:
        if self.found is None or shape.area() > self.found.area():
            self.found = shape


class Row(TypedDict, total=False):
    kind: str
    area: float


KINDS = {"circle": Circle, "rect": Rectangle}
largest: Largest[Shape] = Largest()
rows: list[Row] = []
for argument in sys.argv[1:]:
    kind, _, numbers = argument.partition(":")
    shape = KINDS[kind](*map(float, numbers.split(",")))
    largest.offer(shape)
    rows.append({"kind": kind, "area": round(shape.area(), 4)})
print(rows, largest.found)
print(isinstance(Circle(1), Shape), isinstance("text", Shape), Rectangle._fields, Rectangle._field_defaults)
print(get_type_hints(Row), get_args(Annotated[int, "x", 3]), Largest[Circle], list[int] | None)
