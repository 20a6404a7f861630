"""Compute an invoice from JSON lines with exact decimals."""
from __future__ import annotations

import json
import sys
from dataclasses import FrozenInstanceError, asdict, astuple, dataclass, field, fields, replace
from decimal import ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True, order=True)
class Line:
    text: str
    quantity: Decimal
    price: Decimal = field(repr=False)
    vat: Decimal = Decimal("0.19")

    def __post_init__(self) -> None:
        if self.quantity <= 0:
            raise ValueError(f"{self.text}: quantity {self.quantity} is not positive")

    @property
    def net(self) -> Decimal:
        return (self.quantity * self.price).quantize(CENT, ROUND_HALF_UP)


@dataclass
class Invoice:
    number: str
    lines: list[Line] = field(default_factory=list)
    note: str | None = field(default=None, kw_only=True)

    def totals(self) -> dict[str, Decimal]:
        net = sum((line.net for line in self.lines), Decimal(0))
        vat = sum((line.net * line.vat for line in self.lines), Decimal(0)).quantize(CENT, ROUND_HALF_UP)
        return {"net": net, "vat": vat, "gross": net + vat}


invoice = Invoice("R-1", note="thanks")
try:
    for text in sys.stdin:
        data = json.loads(text, parse_float=Decimal, parse_int=Decimal)
        invoice.lines.append(Line(**data))
except (ValueError, TypeError) as error:
    sys.exit(f"{type(error).__name__}: {error}")
for line in sorted(invoice.lines):
    print(line, line.net)
for name, amount in invoice.totals().items():
    print(f"{name:>6} {amount:>12,.2f}")
if invoice.lines:
    first = invoice.lines[0]
    print(astuple(replace(first, text="copy")), [each.name for each in fields(first)], first == replace(first))
    try:
        first.text = "other"
    except FrozenInstanceError as error:
        print("frozen:", error)
print(json.dumps(asdict(invoice), default=str))
