"""The stable codes of the front end's findings, in one place; the documentation of diagnostics is made from this table."""

from __future__ import annotations

from typing import Final

CODES: Final[dict[str, str]] = {
    # the file as a whole
    "TRV001": "a file cannot be read",
    "TRV002": "a preprocessor directive is malformed or reports an error",
    "TRV003": "an included header is not found",
    "TRV004": "syntax error",
    "TRV005": "the source is nested too deeply",
    "TRV006": "the compiler that should preprocess the file cannot be run",
    # errors in the program
    "TRV010": "a name is not declared",
    "TRV011": "a name is declared twice in one scope, or with different types",
    "TRV012": "an operator is applied to types it is not defined for",
    "TRV013": "the target of an assignment, ++, -- or & is not an object",
    "TRV014": "a const object is modified, or const is lost in a conversion",
    "TRV015": "a call has the wrong number of arguments",
    "TRV016": "a value has the wrong type for an assignment, argument, initialiser or return",
    "TRV017": "a constant expression is required, or has no value",
    "TRV018": "a function is called that is not declared",
    "TRV019": "break, continue, case or default stands outside a statement it belongs to",
    "TRV020": "a literal is malformed or too large",
    "TRV021": "a declaration does not name a valid type",
    "TRV022": "a goto names a label that the function does not have, or a label occurs twice",
    "TRV023": "a pragma is not followed by a loop, or a clause of it is malformed, unknown or has an invalid argument",
    "TRV024": "an OpenMP directive is unknown",
    "TRV025": "an OpenMP construct applies to threads that callers of the function create",
    # C that is outside the subset; only the functions that use it are passed over
    "TRV030": "a union, or a use of structs, is outside the subset",
    "TRV031": "volatile and _Atomic objects are not supported",
    "TRV032": "long double, _Complex and __int128 are not supported",
    "TRV033": "control flow is irreducible: jumps form a loop with more than one entry",
    "TRV034": "a local array has no constant length",
    "TRV035": "the address of a local variable is stored in memory",
    "TRV036": "pointers to pointers and pointers to functions are not supported",
    "TRV037": "a static or thread-local variable is not a constant, or a pointer cannot be passed from Python",
    "TRV038": "a function that changes its caller's stack frame or control flow, such as `setjmp`, is called",
    "TRV039": "recursive functions cannot be inlined",
    "TRV040": "a function is defined with a variable number of arguments, or gets a struct as one of them",
    "TRV041": "inline assembly is not supported",
    "TRV042": "wide string literals, and strings as initialisers of arrays, are not supported",
    "TRV043": "a pointer conversion or pointer arithmetic is outside the subset",
    "TRV044": "a C construct is outside the subset",
}
