"""What is checked before machine code runs."""

import numpy as np
import pytest

from rv.evolution.polynomial import Polynomial, declared
from rv.ir.types import F64, I8, I32, VOID
from tensorrv.interface.footprint.check import Violation
from tensorrv.interface.signature import ArrayArgument, ScalarArgument, Signature
from tensorrv.run.call import bind

ROWS, COLS, N = (Polynomial.symbol(declared(name)) for name in ("rows", "cols", "n"))


def integer(name):
    return ScalarArgument(name, I32, True, "int")


def array(name, extents, *, written=False, restrict=True, element=F64, c_type="double"):
    return ArrayArgument(name, element, True, c_type, restrict, written, False, extents)


STENCIL = Signature(
    "stencil",
    (integer("rows"), integer("cols"), array("A", (ROWS, COLS + 6)), array("B", (ROWS, COLS + 6), written=True)),
    VOID,
)
FLAT = Signature(
    "flat",
    (integer("n"), ScalarArgument("alpha", F64, True, "double"),
     array("x", (None,), restrict=False),
     array("y", (None,), restrict=False, written=True)),
    VOID,
)  # fmt: skip


class Touched:
    """Elements up to n - 1 of x and up to n of y."""

    @staticmethod
    def violation(values, sizes):
        needed = {"x": 8 * values.get("n", 0), "y": 8 * values.get("n", 0) + 8}
        return next(
            (Violation(a, 1, 0, needed[a] // 8 - 1, size // 8) for a, size in sizes.items() if needed.get(a, 0) > size), None
        )


touched = Touched()


def zeros(*shape):
    return np.zeros(shape)


def test_lengths_follow_from_shapes():
    a, b = zeros(5, 12), zeros(5, 12)
    assert bind(STENCIL, (a, b), {}, touched, no_alias=False) == [5, 6, a.ctypes.data, b.ctypes.data]


def test_lengths_that_depend_on_each_other():
    signature = Signature("f", (integer("rows"), integer("cols"), array("p", (ROWS * COLS,)), array("q", (ROWS + 1,))), VOID)
    assert bind(signature, (zeros(12), zeros(4)), {}, touched, no_alias=False)[:2] == [3, 4]
    with pytest.raises(TypeError, match="missing 'cols'"):
        bind(signature, (zeros(13), zeros(4)), {}, touched, no_alias=False)
    with pytest.raises(TypeError, match="missing 'rows'"):
        bind(Signature("f", (integer("rows"), integer("cols"), array("p", (ROWS * COLS,))), VOID), (zeros(12),), {}, touched,
             no_alias=False)  # fmt: skip


def test_all_positional_in_the_order_of_c():
    a, b = zeros(5, 12), zeros(5, 12)
    assert bind(STENCIL, (5, 6, a, b), {}, touched, no_alias=False)[:2] == [5, 6]
    assert bind(STENCIL, (), {"rows": 4, "A": a, "B": b}, touched, no_alias=False)[:2] == [4, 6]


def test_scalars_that_no_shape_determines():
    x, y = zeros(4), zeros(5)
    assert bind(FLAT, (4, 2, x, y), {}, touched, no_alias=False) == [4, 2.0, x.ctypes.data, y.ctypes.data]
    assert bind(FLAT, (x, y), {"n": 4, "alpha": 1.5}, touched, no_alias=False)[:2] == [4, 1.5]
    with pytest.raises(TypeError, match="missing 'n'"):
        bind(FLAT, (x, y), {"alpha": 1.0}, touched, no_alias=False)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((zeros(5, 12),), TypeError, "missing the array 'B'"),
        ((zeros(5, 12), [1.0]), TypeError, "'B' of stencil.. must be a NumPy array"),
        ((zeros(5, 12).astype("f4"), zeros(5, 12)), TypeError, "'A' .* dtype float64, not float32"),
        ((zeros(5, 12).astype(">f8"), zeros(5, 12)), TypeError, "'A' .* dtype"),
        ((zeros(60), zeros(5, 12)), ValueError, "'A' .* 2 dimensions, not 1"),
        ((zeros(12, 5).T, zeros(5, 12)), ValueError, "'A' .* contiguous"),
        ((zeros(5, 24)[:, ::2], zeros(5, 12)), ValueError, "'A' .* contiguous"),
        ((zeros(5, 12), zeros(5, 13)), ValueError, "'B' .* shape 5 x 12, not 5 x 13"),
        ((zeros(5, 12), zeros(4, 12)), ValueError, "'B' .* shape 5 x 12, not 4 x 12"),
        ((6, 6, zeros(5, 12), zeros(5, 12)), ValueError, "'A' .* shape 6 x 12"),
        ((5, 2**31, zeros(5, 12), zeros(5, 12)), ValueError, "'cols' .* not in"),
        ((5, 6.0, zeros(5, 12), zeros(5, 12)), TypeError, "'cols' .* must be an integer"),
        ((zeros(5, 12), zeros(5, 12), zeros(5, 12)), TypeError, "3 positional arguments, but takes A, B, or all of"),
        ((np.ma.masked_array(zeros(5, 12)), zeros(5, 12)), TypeError, "'A' .* masked"),
    ],
)
def test_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        bind(STENCIL, arguments, {}, touched, no_alias=False)


def test_numbers_fit_their_types():
    scalars = (ScalarArgument("b", I8, False, "_Bool"), ScalarArgument("x", F64, True, "double"))
    signature = Signature("f", scalars, VOID)
    assert bind(signature, (True, 3), {}, touched, no_alias=False) == [1, 3.0]
    with pytest.raises(ValueError, match="'b' .* is 2, which is not in 0..1"):
        bind(signature, (2, 1.0), {}, touched, no_alias=False)
    with pytest.raises(ValueError, match="'x' .* too large for 'double'"):
        bind(signature, (1, 10**400), {}, touched, no_alias=False)


def test_positional_besides_named():
    with pytest.raises(TypeError, match="4 positional arguments besides rows, but takes A, B, or all of cols, A, B"):
        bind(STENCIL, (5, 6, zeros(5, 12), zeros(5, 12)), {"rows": 5}, touched, no_alias=False)


def test_unknown_name():
    with pytest.raises(TypeError, match="no argument 'C'"):
        bind(STENCIL, (), {"C": zeros(1)}, touched, no_alias=False)


def test_misaligned():
    raw = np.zeros(5 * 12 * 8 + 1, dtype=np.uint8)
    with pytest.raises(ValueError, match="aligned"):
        bind(STENCIL, (raw[1:].view("f8").reshape(5, 12), zeros(5, 12)), {}, touched, no_alias=False)


def test_written_array_must_be_writable():
    a, b = zeros(5, 12), zeros(5, 12)
    a.flags.writeable = b.flags.writeable = False
    with pytest.raises(ValueError, match="'B' .* read-only"):
        bind(STENCIL, (a, b), {}, touched, no_alias=False)


def test_restrict_arrays_do_not_overlap():
    a = zeros(9, 12)
    with pytest.raises(ValueError, match="'A' and 'B' .* overlap"):
        bind(STENCIL, (a[:5], a[4:]), {}, touched, no_alias=False)
    bind(STENCIL, (a[:4], a[4:8]), {}, touched, no_alias=False)


def test_other_arrays_may_overlap_unless_assumed():
    x = zeros(9)
    bind(FLAT, (x, x), {"n": 8, "alpha": 1.0}, touched, no_alias=False)
    with pytest.raises(ValueError, match="overlap, but the kernel was compiled without alias checks"):
        bind(FLAT, (x, x), {"n": 8, "alpha": 1.0}, touched, no_alias=True)


def test_plain_pointers_are_long_enough():
    with pytest.raises(ValueError, match="'y' .* has 4 elements, but the kernel needs 5"):
        bind(FLAT, (zeros(4), zeros(4)), {"n": 4, "alpha": 1.0}, touched, no_alias=False)


def test_bytes():
    image = Signature("image", (integer("n"), array("p", (N,), element=I8, c_type="char")), VOID)
    with pytest.raises(TypeError, match="dtype int8, not uint8"):
        bind(image, (np.zeros(3, dtype=np.uint8),), {}, touched, no_alias=False)
    assert bind(image, (np.zeros(3, dtype=np.int8),), {}, touched, no_alias=False)[0] == 3
