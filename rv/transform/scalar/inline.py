"""Calls replaced by the bodies of the functions that they call.

    a:                                    a:
      %y = call double @f(double %x)        %t = fmul double %x, %x
      %z = fadd double %y, 0x1.0p+0    ->   %z = fadd double %t, 0x1.0p+0
      ...                                   ...

for `define double @f(double %v) { entry: %t = fmul double %v, %v; return double %t }`. A body of several blocks splits the
block of the call. Bodies may not hold calls of inlined functions themselves. Blocks have no predicates yet, which are made
afterwards. Every inlined instruction takes the call's span: diagnostics about it refer to the call.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Call, Instruction, Jump, Phi, Return, Terminator
from rv.ir.rewrite import FreshNames, map_operands, rename_predecessor, substitute, with_result
from rv.ir.values import TRUE, Value, Var
from rv.transform.linearize.single_return import single_return


def inline_calls(function: Function, bodies: Mapping[str, Function]) -> Function:
    """The function with every call of a name in `bodies` replaced by that function's code."""
    inliner = _Inliner(FreshNames.of(function), {name: single_return(body) for name, body in bodies.items()})
    for block in function.blocks:
        inliner.block(block)
    own = {block.label for block in function.blocks}
    blocks = tuple(_entered_from(block, inliner.ends) if block.label in own else block for block in inliner.blocks)
    return substitute(replace(function, blocks=blocks), inliner.results)


def _entered_from(block: Block, ends: Mapping[str, str]) -> Block:
    """The block with the edges of split blocks coming from where those end now."""
    for label, end in ends.items():
        block = rename_predecessor(block, label, end)
    return block


@dataclass(slots=True)
class _Inliner:
    """The blocks so far; `ends` maps a split block to the block in which it ends now, `results` calls to their results."""

    names: FreshNames
    bodies: Mapping[str, Function]
    blocks: list[Block] = field(default_factory=list)
    ends: dict[str, str] = field(default_factory=dict)
    results: dict[str, Value] = field(default_factory=dict)

    def block(self, block: Block) -> None:
        assert block.predicate == TRUE, "inlining comes before predicates"
        current, body = block, list[Instruction]()
        for instruction in block.body:
            if isinstance(instruction, Call) and instruction.callee in self.bodies:
                current, body = self._call(instruction, current, body)
            else:
                body.append(instruction)
        self.blocks.append(replace(current, body=tuple(body), terminator=block.terminator))
        if current.label != block.label:
            self.ends[block.label] = current.label

    def _call(self, call: Call, before: Block, body: list[Instruction]) -> tuple[Block, list[Instruction]]:
        """Adds the callee's code; the block that goes on behind it, and what is in its body so far."""
        activation = _activation(call, self.bodies[call.callee], self.names)
        first, *others = activation.blocks
        if not others:
            self._returned(call, first.terminator)
            return before, [*body, *first.body]
        behind = Block(self.names.name(f"{call.callee}.done"), (), (), first.terminator, span=before.span)
        for copied in (replace(before, body=(*body, *first.body), terminator=first.terminator), *others):
            # phis of the copied blocks know the callee's entry by its new name, which has become the end of `before`
            copied = rename_predecessor(copied, first.label, before.label) if copied.label != before.label else copied
            if isinstance(copied.terminator, Return):
                self._returned(call, copied.terminator)
                copied = replace(copied, terminator=Jump(behind.label, call.span))
            self.blocks.append(copied)
        return behind, []

    def _returned(self, call: Call, end: Terminator) -> None:
        if call.result is not None:
            assert isinstance(end, Return) and end.value is not None
            self.results[call.result.name] = end.value


def _activation(call: Call, callee: Function, names: FreshNames) -> Function:
    """The callee with new names, the arguments in the place of its parameters."""
    labels = {block.label: names.name(f"{callee.name}.{block.label}") for block in callee.blocks}
    values: dict[str, Value] = {p.var.name: a for p, a in zip(callee.parameters, call.arguments, strict=True)}
    results: dict[str, Var] = {}
    for block in callee.blocks:
        for statement in (*block.phis, *block.body):
            if statement.result is not None:
                wanted = f"{callee.name}.{statement.result.name}"
                results[statement.result.name] = names.variable(wanted, statement.result.type)
    values.update(results)

    def renamed(value: Value) -> Value:
        return values[value.name] if isinstance(value, Var) else value

    def moved(statement: Instruction) -> Instruction:
        statement = replace(map_operands(statement, renamed), span=call.span)
        return statement if statement.result is None else with_result(statement, results[statement.result.name])

    def phi(old: Phi) -> Phi:
        incoming = tuple((labels[label], renamed(value)) for label, value in old.incoming)
        return Phi(results[old.result.name], incoming, call.span)

    def end(terminator: Terminator) -> Terminator:
        match map_operands(terminator, renamed):
            case Jump(target=target):
                return Jump(labels[target], call.span)
            case Branch(condition=condition, then=then, otherwise=otherwise):
                return Branch(condition, labels[then], labels[otherwise], call.span)
            case Return(value=value):
                return Return(value, call.span)

    blocks = tuple(
        Block(labels[b.label], tuple(map(phi, b.phis)), tuple(map(moved, b.body)), end(b.terminator), b.hints, call.span)
        for b in callee.blocks
    )
    return replace(callee, blocks=blocks)
