"""Tables of a file in TOML, read with a check of everything that is read: the message of an error names the entry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass


class BadEntry(ValueError):
    """An entry is missing, or not what it has to be."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `path` is what its entries' names begin with in messages."""

    entries: Mapping[str, object]
    path: str = ""

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def _entry(self, name: str) -> object:
        if name not in self.entries:
            raise BadEntry(f"it says nothing of '{self.path}{name}'")
        return self.entries[name]

    def _wrong(self, name: str, wanted: str) -> BadEntry:
        return BadEntry(f"'{self.path}{name}' is not {wanted}")

    def number(self, name: str) -> float:
        """A number that is not negative."""
        return self._number(name, self._entry(name))

    def integer(self, name: str) -> int:
        return int(self.number(name))

    def flag(self, name: str) -> bool:
        """A truth value, or 0 or 1."""
        value = self._entry(name)
        if value not in (False, True):
            raise self._wrong(name, "true or false")
        return bool(value)

    def text(self, name: str) -> str:
        value = self._entry(name)
        if not isinstance(value, str):
            raise self._wrong(name, "a text")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts."""
        found = tuple(value for value in self._list(name) if isinstance(value, str))
        if len(found) != len(self._list(name)):
            raise self._wrong(name, "a list of texts")
        return found

    def numbers(self, name: str, count: int) -> tuple[float, ...]:
        """A list of so many numbers."""
        found = tuple(self._number(name, value) for value in self._list(name))
        if len(found) != count:
            raise self._wrong(name, f"a list of {count} numbers")
        return found

    def rows(self, name: str, count: int) -> tuple[tuple[float, ...], ...]:
        """A list of one or more lists of so many numbers."""
        rows = self._list(name)
        if not rows:
            raise self._wrong(name, f"a list of lists of {count} numbers")
        return tuple(Table({name: row}, self.path).numbers(name, count) for row in rows)

    def table(self, name: str) -> Table:
        """A table inside this one."""
        value = self._entry(name)
        if not isinstance(value, Mapping):
            raise self._wrong(name, "a table")
        return Table(value, f"{self.path}{name}.")

    def by_bits(self) -> dict[int, str]:
        """The names of the entries, which have to be numbers of bits, by these."""
        for name in self.entries:
            if not name.isdecimal():
                raise self._wrong(name, "a number of bits")
        if not self.entries:
            raise BadEntry(f"'{self.path.rstrip('.')}' is empty")
        return {int(name): name for name in self.entries}

    def over(self, other: Table) -> Table:
        """The entries of this table, and of the other those that this one lacks."""
        return Table({**other.entries, **self.entries}, self.path)

    def _list(self, name: str) -> Sequence[object]:
        value = self._entry(name)
        if not isinstance(value, list):
            raise self._wrong(name, "a list")
        return value

    def _number(self, name: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise self._wrong(name, "a number")
        return value
