"""Replay account events from JSON lines, with snapshots and invariants."""
from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from functools import singledispatch
from typing import ClassVar


class InsufficientFunds(Exception):
    def __init__(self, account: str, missing: int) -> None:
        super().__init__(account, missing)
        self.account, self.missing = account, missing

    def __str__(self) -> str:
        return f"{self.account} lacks {self.missing / 100:.2f}"


@dataclass(frozen=True)
class Event:
    kinds: ClassVar[dict[str, type[Event]]] = {}
    account: str
    amount: int

    def __init_subclass__(cls) -> None:
        Event.kinds[cls.__name__.lower()] = cls


class Deposited(Event): ...


class Withdrawn(Event): ...


@dataclass(frozen=True)
class Moved(Event):
    to: str = ""


@dataclass
class Bank:
    balances: dict[str, int] = field(default_factory=dict)

    def change(self, account: str, amount: int) -> None:
        new = self.balances.get(account, 0) + amount
        if new < 0:
            raise InsufficientFunds(account, -new)
        self.balances[account] = new


@singledispatch
def apply(event: Event, bank: Bank) -> None:
    raise NotImplementedError(type(event).__name__)


@apply.register
def _(event: Deposited, bank: Bank) -> None:
    bank.change(event.account, event.amount)


@apply.register
def _(event: Withdrawn, bank: Bank) -> None:
    bank.change(event.account, -event.amount)


@apply.register
def _(event: Moved, bank: Bank) -> None:
    bank.change(event.account, -event.amount)
    bank.change(event.to, event.amount)


bank, refused = Bank(), 0
for number, line in enumerate(sys.stdin, 1):
    data = json.loads(line)
    event = Event.kinds[data.pop("kind")](**data)
    try:
        apply(event, bank)
    except InsufficientFunds as error:
        refused += 1
        print(f"{number}: refused: {error} {error.args}")
    else:
        print(f"{number}: {event}")
print(json.dumps(bank.balances, sort_keys=True), sum(bank.balances.values()))
sys.exit(refused and 10 + refused)
