"""Selections: phis of a loop header that take new values together, in the iterations that win (thesis, section 6.5, goes no
further than folds with one operation).

    if (x < m) { m = x; k = i; }       the first smallest x and where it was: `m` is the key, `k` comes with it
    if (c) k = i;                      the last i for which c holds: no key
    if (c && k < 0) k = i;             the first one: the key guards itself against a second change
    m = x < m ? x : m;                 of floats: which of two equal zeros stays decides about a bit

Every lane of a brush plays the game by itself, on its own iterations. The state after the loop is that of the lane whose last
change wins over all others: by the key, and among equal keys by the number of the iteration, the lowest where the key is only
replaced by strictly better ones, else the highest. Where changes of both kinds are mixed (`if (x < m) m = x; if (y <= m) m = y;`)
the last one by an equal value wins, or else the first of all. So the scalar order's answer comes out bit for bit, NaNs included:
they never replace the key, and where it starts as one no lane ever changes.

What must hold: the partial values of the phis are read only by each other (choices and phis that hand them on) and, of the
key, by comparisons with the value that replaces it; these decide nothing else. New values depend on none of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop
from rv.analysis.values.uses import Definition
from rv.evolution.facts import FIRST, Reduction, Selection
from rv.evolution.readers import Statement, readers_in
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, CompareFloat, CompareInt, Phi, Select, operands
from rv.ir.types import I1, FloatType, IntType
from rv.ir.values import FALSE, Const, Undef, Value, Var

_ORDERS: Final[Mapping[str, str]] = {
    **{predicate: swapped for predicate, swapped in SWAPPED.items() if predicate != swapped},
    "olt": "ogt", "ole": "oge", "ogt": "olt", "oge": "ole",
}  # fmt: skip


def find_selections(
    function: Function,
    loops: Iterable[NaturalLoop],
    definitions: Mapping[str, Definition],
    defined_in: Mapping[str, str],
    reductions: Sequence[Reduction],
) -> tuple[Selection, ...]:
    """The selections of these loops but those that are plain reductions of integers."""
    folded = {r.phi.name for r in reductions if not isinstance(r.phi.type, FloatType)}
    found: list[Selection] = []
    for loop in loops:
        if len(loop.latches) == 1 and len(loop.entering) == 1:
            search = _Search(function.block(loop.header), loop, definitions, defined_in, readers_in(function, loop.blocks))
            found += [s for s in search.selections() if not {m.name for m in s.members} <= folded]
    return tuple(found)


@dataclass(slots=True)
class _Chain:
    """The partial values of a phi, and their other readers: `others` are neither choices nor phis that pass them on."""

    phi: Phi
    update: Value
    names: set[str] = field(default_factory=set)
    others: list[Statement] = field(default_factory=list)

    def has(self, value: Value) -> bool:
        return isinstance(value, Var) and value.name in self.names


@dataclass(frozen=True, slots=True)
class _Key:
    """By which comparison new values replace a key, as in a Selection."""

    predicate: str
    strict: frozenset[str] = frozenset()


@dataclass(slots=True)
class _Search:
    """The selections of one loop."""

    header: Block
    loop: NaturalLoop
    definitions: Mapping[str, Definition]
    defined_in: Mapping[str, str]
    readers: Mapping[str, list[Statement]]

    def selections(self) -> Iterator[Selection]:
        chains = [self._chain(phi) for phi in self.header.phis]
        taken: set[str] = set()
        for key in chains:
            rule = self._rule(key) or self._guard(key)
            if rule is None:
                continue
            decisions = self._decisions(key)
            payload = [c for c in chains if c is not key and not c.others and self._alike(key, c)]
            if decisions is not None and self._decide_only(decisions, [key, *payload]):
                taken |= {c.phi.result.name for c in (key, *payload)}
                yield self._selection(key, payload, rule)
        free = [c for c in chains if c.phi.result.name not in taken and not c.others and c.update != c.phi.result]
        while free:
            first, *rest = free
            alike = [c for c in rest if self._alike(first, c)]
            yield self._selection(first, alike, None)
            free = [c for c in rest if c not in alike]

    def _selection(self, first: _Chain, others: Sequence[_Chain], rule: _Key | None) -> Selection:
        members = [first, *others]
        strict = frozenset[str]() if rule is None else rule.strict
        order = next((c.phi.result for c in members if self._is_order(first, c, strict)), None)
        phis, updates = tuple(c.phi.result for c in members), tuple(c.update for c in members)
        predicate = None if rule is None else rule.predicate
        return Selection(self.header.label, phis, updates, predicate, strict, order, first.phi.span)

    # -- partial values

    def _chain(self, phi: Phi) -> _Chain:
        chain = _Chain(phi, phi.value_from(self.loop.latches[0]), {phi.result.name})
        pending = [phi.result.name]
        while pending:
            name = pending.pop()
            for reader in self.readers.get(name, ()):
                if reader is phi:
                    continue
                hands_on = isinstance(reader, Phi) and reader not in self.header.phis
                if isinstance(reader, Select) and not _is(reader.condition, name):
                    hands_on = True
                if not hands_on:
                    chain.others.append(reader)
                elif isinstance(reader, Select | Phi) and reader.result.name not in chain.names:
                    chain.names.add(reader.result.name)
                    pending.append(reader.result.name)
        return chain

    def _nodes(self, chain: _Chain) -> Iterator[Select | Phi]:
        for name in chain.names - {chain.phi.result.name}:
            definition = self.definitions[name]
            assert isinstance(definition, Select | Phi)
            yield definition

    # -- the key

    def _rule(self, chain: _Chain) -> _Key | None:
        """By which comparison new values of a key replace the old one: `new predicate old`; None when it is no key."""
        if not chain.others or not all(isinstance(o, CompareInt | CompareFloat) for o in chain.others):
            return None
        found: set[tuple[str, str | None]] = set()
        pending: list[Value] = [chain.update]
        seen: set[Value] = {chain.phi.result}
        while pending:
            value = pending.pop()
            if value in seen or isinstance(value, Undef):
                continue
            seen.add(value)
            definition = self.definitions.get(value.name) if isinstance(value, Var) and chain.has(value) else None
            match definition:
                case Phi():
                    pending += operands(definition)
                case Select(condition=condition, then=then, otherwise=otherwise):
                    if self._comparison(chain, condition, conjunction=True) is None:
                        pending += [then, otherwise]
                        continue
                    replaced, old = self._replacement(chain, definition)
                    found |= replaced
                    pending.append(old)
                case _:
                    return None  # a new value that replaces any old one
        return _one_rule(found)

    def _guard(self, chain: _Chain) -> _Key | None:
        """FIRST when new values of a key keep it from changing again: the condition tests it, and fails for all of them."""
        if not chain.others or not all(isinstance(o, CompareInt) and isinstance(o.right, Const) for o in chain.others):
            return None
        changes = 0
        for node in self._nodes(chain):
            if isinstance(node, Phi):
                if not all(chain.has(v) or isinstance(v, Undef) for v in operands(node)):
                    return None
                continue
            test = self._comparison(chain, node.condition, conjunction=True)
            if test is None and chain.has(node.then) and chain.has(node.otherwise):
                continue
            if not isinstance(test, CompareInt) or not self._guards(test, node):
                return None
            changes += 1
        return _Key(FIRST) if changes == 1 else None

    def _guards(self, test: CompareInt, choice: Select) -> bool:
        """Whether a choice keeps the old value, which it tests, once it has taken the new one."""
        if choice.otherwise == test.left:
            return self._fails(test, choice.then)
        if choice.then != test.left or choice.condition != test.result:
            return False
        return self._fails(replace(test, predicate=NEGATED[test.predicate]), choice.otherwise)

    def _fails(self, test: CompareInt, value: Value) -> bool:
        """Whether a comparison with a constant fails for a value: one that is constant, or counts up from a number >= 0."""
        assert isinstance(test.right, Const)
        if isinstance(value, Const):
            return not _holds(test.predicate, value, test.right)
        negative = test.right.signed < 0 or (test.right.signed == 0 and test.predicate == "slt")
        phi = next((p for p in self.header.phis if p.result == value), None)
        if phi is None or not negative or test.predicate not in ("slt", "sle", "eq"):
            return False
        first, update = phi.value_from(self.loop.entering[0]), phi.value_from(self.loop.latches[0])
        step = self.definitions.get(update.name) if isinstance(update, Var) else None
        match first, step:
            case Const(), Binary(op="add", left=left, right=Const() as distance, nsw=True) if left == value:
                return first.signed >= 0 and distance.signed > 0
            case _:
                return False

    def _replacement(self, chain: _Chain, choice: Select) -> tuple[set[tuple[str, str | None]], Value]:
        """The choices that take a new value by a condition that depends on the key, with the comparison of new and old, and
        the old value that is kept else.

        More conditions may decide about the new value: `x < m ? (c ? x : m) : m`.
        """
        compare = self._comparison(chain, choice.condition, conjunction=True)
        assert compare is not None
        old = compare.left if chain.has(compare.left) else compare.right
        if old not in (choice.then, choice.otherwise):
            return {(choice.result.name, None)}, old
        when_true = choice.otherwise == old
        if not when_true and compare.result != choice.condition:
            return {(choice.result.name, None)}, old
        found: set[tuple[str, str | None]] = set()
        taken = [(choice.result.name, choice.then if when_true else choice.otherwise)]
        while taken:
            name, value = taken.pop()
            inner = self.definitions.get(value.name) if isinstance(value, Var) and chain.has(value) else None
            if isinstance(inner, Select) and value != old and self._comparison(chain, inner.condition, conjunction=True) is None:
                taken += [(inner.result.name, inner.then), (inner.result.name, inner.otherwise)]
            elif value != old:
                found.add((name, None if chain.has(value) else _oriented(compare, value, old, when_true)))
        return found, old

    def _comparison(self, chain: _Chain, condition: Value, *, conjunction: bool) -> CompareInt | CompareFloat | None:
        """The comparison of a partial value in a condition that holds only if the comparison does."""
        definition = self.definitions.get(condition.name) if isinstance(condition, Var) else None
        match definition:
            case CompareInt() | CompareFloat() if definition in chain.others:
                return definition
            case Binary(op="and", left=left, right=right) if conjunction:
                sides = (left, right)
            case Select(condition=left, then=right, otherwise=otherwise) if conjunction and otherwise == FALSE:
                sides = (left, right)
            case _:
                return None
        found = [f for f in (self._comparison(chain, side, conjunction=True) for side in sides) if f is not None]
        return found[0] if len(found) == 1 else None

    def _decisions(self, chain: _Chain) -> set[str] | None:
        """The truth values that depend on the key; None when they come to more than conjunctions."""
        found = {o.result.name for o in chain.others if isinstance(o, CompareInt | CompareFloat)}
        pending = list(found)
        while pending:
            name = pending.pop()
            for reader in self.readers.get(name, ()):
                if isinstance(reader, Select) and reader.result.type != I1 and _is(reader.condition, name):
                    continue
                if not isinstance(reader, Binary | Select) or not _is_conjunction(reader):
                    return None
                if reader.result.name not in found:
                    found.add(reader.result.name)
                    pending.append(reader.result.name)
        return found

    def _decide_only(self, decisions: set[str], members: Sequence[_Chain]) -> bool:
        """Whether what depends on the key decides about the members alone, and about unused values: orders of inner loops."""
        nodes = {node.result.name for chain in members for node in self._nodes(chain)}
        return all(
            reader.result.name in nodes | decisions or self._is_idle(reader.result)
            for name in decisions
            for reader in self.readers.get(name, ())
            if isinstance(reader, Select)
        )

    def _is_idle(self, variable: Var) -> bool:
        """Whether a value is only handed on in circles inside the loop."""
        pending, seen = [variable.name], {variable.name}
        while pending:
            name = pending.pop()
            for reader in self.readers.get(name, ()):
                if not isinstance(reader, Select | Phi) or reader in self.header.phis:
                    return False
                if isinstance(reader, Select) and _is(reader.condition, name):
                    return False
                if reader.result.name not in seen:
                    seen.add(reader.result.name)
                    pending.append(reader.result.name)
        return True

    # -- what comes with it

    def _alike(self, key: _Chain, other: _Chain) -> bool:
        """Whether `other` takes new values exactly where `key` does."""
        return other.update != other.phi.result and self._taken(key, other) is not None

    def _taken(self, key: _Chain, other: _Chain) -> list[tuple[str, Value]] | None:
        """The new values of `other`, each with the name of the partial value of `key` that takes one at the same time; None when
        it takes them elsewhere.
        """
        found: list[tuple[str, Value]] = []
        pending: list[tuple[str, Value, Value]] = [("", key.update, other.update)]
        seen: set[tuple[str, Value, Value]] = set()
        while pending:
            part = pending.pop()
            name, left, right = part
            if part in seen or (left, right) == (key.phi.result, other.phi.result):
                continue
            seen.add(part)
            if key.has(left) != other.has(right):
                return None
            if not key.has(left):
                found.append((name, right))
                continue
            assert isinstance(left, Var)
            parts = self._parts(left, right)
            if parts is None:
                return None
            pending += [(left.name, *values) for values in parts]
        return found

    def _parts(self, left: Var, right: Value) -> list[tuple[Value, Value]] | None:
        """What two partial values that are made in the same way are made of."""
        assert isinstance(right, Var)
        match self.definitions[left.name], self.definitions[right.name]:
            case Select(condition=a) as one, Select(condition=b) as two if a == b:
                return [(one.then, two.then), (one.otherwise, two.otherwise)]
            case Phi() as one, Phi() as two if one not in self.header.phis and two not in self.header.phis:
                same = self.defined_in[left.name] == self.defined_in[right.name] and (one.shadow is None) == (two.shadow is None)
                return list(zip(_in_order(one), _in_order(two), strict=True)) if same else None
            case _:
                return None

    def _is_order(self, first: _Chain, chain: _Chain, strict: Collection[str]) -> bool:
        """Whether the member holds the number, from 1, of the iteration that changed it last, and 0 before; negated where only
        strictly better values replace the key and that is not so everywhere.
        """
        start = chain.phi.value_from(self.loop.entering[0])
        if not isinstance(start, Const) or not isinstance(start.type, IntType) or start.bits:
            return False
        taken = self._taken(first, chain) or []
        new = [(name in strict, value) for name, value in taken if not isinstance(value, Undef)]
        return bool(new) and all(self._counts(self._negated(v) if down else v) for down, v in new)

    def _negated(self, value: Value) -> Value:
        """What a value is the negative of; itself when it is not made so."""
        match self.definitions.get(value.name) if isinstance(value, Var) else None:
            case Binary(op="sub", left=Const(bits=0), right=right):
                return right
            case _:
                return value

    def _counts(self, value: Value) -> bool:
        """Whether a value is the number of the iteration, from 1."""
        match self.definitions.get(value.name) if isinstance(value, Var) else None:
            case Binary(op="add", left=Var() as counter, right=Const(bits=1)):
                phi = next((p for p in self.header.phis if p.result == counter), None)
                if phi is None or phi.value_from(self.loop.latches[0]) != value:
                    return False
                first = phi.value_from(self.loop.entering[0])
                return isinstance(first, Const) and first.bits == 0
            case _:
                return False


def _one_rule(found: Collection[tuple[str, str | None]]) -> _Key | None:
    """The rule of a key that these choices change by these comparisons; None when they differ by more than what equals do."""
    kinds = {predicate for _, predicate in found}
    by_equals = {p for p in kinds if p is not None and p.endswith("e")}
    if None in kinds or len({strictly(p) for p in kinds if p is not None}) != 1:
        return None
    if len(kinds) == 1:
        return next((_Key(p) for p in kinds if p is not None), None)
    strict = {name for name, predicate in found if predicate not in by_equals}
    if any(name in strict for name, predicate in found if predicate in by_equals):
        return None
    return _Key(by_equals.pop(), frozenset(strict))


def strictly(predicate: str) -> str:
    """The comparison that does not hold for equals but is the same else."""
    return predicate.replace("le", "lt").replace("ge", "gt")


def _holds(predicate: str, left: Const, right: Const) -> bool:
    """Whether a comparison of integers holds."""
    one, two = (left.bits, right.bits) if predicate[0] == "u" else (left.signed, right.signed)
    match predicate.lstrip("us"):
        case "eq":
            return one == two
        case "ne":
            return one != two
        case "lt":
            return one < two
        case "le":
            return one <= two
        case "gt":
            return one > two
        case _:
            return one >= two


def _oriented(compare: CompareInt | CompareFloat, new: Value, old: Value, when_true: bool) -> str | None:
    """The comparison as `new predicate old`, where it holds or does not hold."""
    predicate: str | None = compare.predicate
    if not when_true:
        predicate = NEGATED.get(compare.predicate) if isinstance(compare, CompareInt) else None
    if (compare.left, compare.right) == (old, new):
        return _ORDERS.get(predicate or "")
    return predicate if (compare.left, compare.right) == (new, old) and predicate in _ORDERS else None


def _handed(node: Select | Phi) -> tuple[Value, ...]:
    """The values that a node chooses from."""
    return (node.then, node.otherwise) if isinstance(node, Select) else operands(node)


def _in_order(phi: Phi) -> list[Value]:
    """What a phi takes, by predecessor; the shadow is last."""
    return [v for _, v in sorted(phi.incoming, key=lambda edge: edge[0])] + ([] if phi.shadow is None else [phi.shadow])


def _is(value: Value, name: str) -> bool:
    return isinstance(value, Var) and value.name == name


def _is_conjunction(statement: Binary | Select) -> bool:
    if isinstance(statement, Binary):
        return statement.op == "and" and statement.result.type == I1
    return statement.otherwise == FALSE
