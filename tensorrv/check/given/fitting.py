"""What was given by name, as arguments of one function: checked against its signature as the arguments of calls are.

A file may hold arguments of several functions; those of others are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Never

import numpy as np

from rv.ir.types import IntType
from tensorrv.check.given.values import Constraints, Given
from tensorrv.check.sizes import Sizes
from tensorrv.interface.facts import interface_of
from tensorrv.interface.signature import ArrayArgument, ScalarArgument, Signature
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.run.call import Array, array_dtype, fitted
from tensorrv.unit.unit import Unit


def fit(function: Unit, arguments: Mapping[str, Any], constraints: Constraints, sizes: Sizes) -> Given:
    """Everything that is given for the function; `sizes` complete what the arguments leave open. Raises Refused."""
    signature = interface_of(function).signature
    known = {argument.name: argument for argument in signature.arguments}
    own = {name: _as_passed(signature, known[name], value) for name, value in arguments.items() if name in known}
    own |= {name: value for name, value in sizes.items() if name in known and name not in own} if own else {}
    try:
        arrays, _, numbers = fitted(signature, own)
    except (TypeError, ValueError) as error:
        _refuse(function, str(error))
    _check_apart(function, arrays)
    given = Given(arrays, numbers, _fitting(function, signature, constraints))
    lacking = sorted(signature.sizes - numbers.keys())
    if arrays and lacking:
        _refuse(function, f"the data say nothing about '{lacking[0]}'", f"add it to the data, or give --size {lacking[0]}=...")
    return given


def check_names(functions: Iterable[Unit], names: Iterable[str]) -> None:
    """Raises Refused for a name that is a parameter of none of the functions."""
    units = tuple(functions)
    known = list(dict.fromkeys(parameter.name for function in units for parameter in function.parameters))
    for name in names:
        if name.partition(".")[0] not in known:
            message = f"there is no parameter '{name}'"
            raise Refused(Diagnostic("error", "TRV104", message, hint=f"the parameters are {', '.join(known)}"))


def _as_passed(signature: Signature, argument: ArrayArgument | ScalarArgument, value: Any) -> Any:
    """A number for a number, and an array for an array; a number is an array of one where a pointer is passed."""
    if isinstance(argument, ScalarArgument):
        return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if isinstance(value, np.ndarray) and value.ndim:
        return np.ascontiguousarray(value)
    if isinstance(value, int | float | np.generic | np.ndarray) and argument.record is None:
        dtype = array_dtype(argument)
        one = np.asarray(value).reshape(1)
        if dtype.kind == "f" or (one.astype(dtype) == one).all():
            return one.astype(dtype)
    return value


def _check_apart(function: Unit, arrays: Mapping[str, Array]) -> None:
    """Each parameter gets a copy of its own, so that arrays that share memory would not do so in the runs."""
    names = list(arrays)
    for k, name in enumerate(names):
        for other in names[:k]:
            if np.may_share_memory(arrays[name], arrays[other]):
                _refuse(function, f"'{other}' and '{name}' share memory, which the copies that are run do not", "give copies")


def _fitting(function: Unit, signature: Signature, constraints: Constraints) -> Constraints:
    """The constraints that concern the function. Raises Refused for what they cannot be about."""
    arrays = {array.name: array for array in signature.arrays}
    scalars = {scalar.name: scalar for scalar in signature.scalars}
    integers = {name for name, scalar in scalars.items() if isinstance(scalar.type, IntType)}
    lengths = {name: length for name, length in constraints.lengths.items() if name in arrays | scalars}
    ranges = {name: ends for name, ends in constraints.ranges.items() if name.partition(".")[0] in arrays | scalars}
    for name in lengths.keys() & scalars.keys():
        _refuse(function, f"'{name}' is a number, and has no length", f"--size {name}=... gives its value")
    for name in ranges:
        array, _, member = name.partition(".")
        record = arrays[array].record if array in arrays else None
        if name in signature.sizes:
            _refuse(function, f"'{name}' is a size, for which no range can be given", f"--size {name}=... gives its value")
        if bool(member) != (record is not None) or (record is not None and member not in {f.name for f in record.fields}):
            members = "" if record is None else f"its members are {', '.join(f'{array}.{f.name}' for f in record.fields)}"
            _refuse(function, f"there are no numbers '{name}'", members)
    used = [*lengths.values(), *(end for ends in ranges.values() for end in ends)]
    for symbol in sorted({symbol.name for expression in used for symbol in expression.symbols} - integers):
        _refuse(function, f"'{symbol}' is no integer parameter of '{function.name}'", f"these are {', '.join(sorted(integers))}")
    return Constraints(lengths, ranges)


def _refuse(function: Unit, message: str, hint: str = "") -> Never:
    raise Refused(Diagnostic("error", "TRV104", message, function.function.span, hint=hint))
