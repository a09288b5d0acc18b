"""Calls whose accesses would lie outside of their arrays are refused, and no others."""

import contextlib
import ctypes
import mmap

import numpy as np
import pytest

import tensorrv as trv
from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.c_signature import signature_of
from tensorrv.interface.footprint.slicing import program_of
from tensorrv.interface.reach import KernelReaches
from tests.api.random_nests import make

SIZE = 8
TWIDDLE = "for (int k = 0; k < n; k += 2 * s) for (int j = 0; j < s; j++)"
LOOPS = "for (int y = 0; y < n; y++) for (int x = 0; x < w; x++)"
CONVOLUTION = f"{LOOPS} for (int d = -3; d <= 3; d++) for (int e = -3; e <= 3; e++)"
CLAMPED = f"{LOOPS} {{ int u = y > 0 ? y - 1 : 0, l = x > 0 ? x - 1 : 0, r = x < w - 1 ? x + 1 : w - 1;"
WAVES = "for (int d = 0; d < 2 * n - 1; ++d)"
FORMS = [
    # parameters, body, values, elements of B that are touched (None: outside whatever its length)
    ("unsigned n", "for (unsigned i = 0; i < n - 1; i++) B[i] = 1;", {"n": 0}, 2**32 - 1),
    ("unsigned n", "for (unsigned i = 0; i < n - 1; i++) B[i] = 1;", {"n": 9}, 8),
    ("unsigned long n", "for (unsigned long i = 0; i < n - 1; i++) B[i] = 1;", {"n": 0}, None),
    ("short n", "for (short i = 0; i < (short)(n * 3); i++) B[i] = 1;", {"n": 20000}, 0),
    ("short n", "for (short i = 0; i < (short)(n * 3); i++) B[i] = 1;", {"n": 22000}, 464),
    ("int n", "for (int i = 0; i < (1 << n); i++) B[i] = 1;", {"n": 4}, 16),
    ("int n", "for (int i = 0; i < (n > 5 ? 2 * n : n); i++) B[i] = 1;", {"n": 9}, 18),
    ("int n, int m", "int k = n < m ? n : m; for (int i = 0; i < k; i++) B[i] = 1;", {"n": 9, "m": 20}, 9),
    ("int n", "for (int i = 0; i < (n & ~7) + 16; i++) B[i] = 1;", {"n": 9}, 24),
    ("int n", "for (int i = n / 2; i < 4; i++) B[i] = 1;", {"n": -3}, None),
    ("int n", "for (int i = n / 2; i < 4; i++) B[i] = 1;", {"n": 1}, 4),
    ("int n", "for (int i = 0; i < n % 5; i++) B[i] = 1;", {"n": 13}, 3),
    ("int n", "for (int i = n - 1; i >= 0; i -= 2) B[i] = 1;", {"n": 6}, 6),
    ("unsigned n", "for (unsigned i = n; i-- > 0;) B[i] = 1;", {"n": 6}, 6),
    ("unsigned n", "for (unsigned i = n - 1; i >= 0; --i) B[i] = 1;", {"n": 6}, 2**32),
    ("int n", "for (int i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) B[i * (i + 1) / 2 + j] = 1;", {"n": 40}, 820),
    ("int n", "for (int i = 0; i < n; ++i) for (int j = 0; j <= i; ++j) B[i - j] = 1;", {"n": 400}, 400),
    ("int n", f"{WAVES} for (int i = d < n ? 0 : d - n + 1; i <= d && i < n; ++i) B[i * n + d - i] = 1;", {"n": 60}, 3600),
    ("int n", "for (int t = 0; t < n; t += 32) for (int i = t; i < t + 32 && i < n; ++i) B[i] = 1;", {"n": 1000}, 1000),
    ("int n", "for (int t = 0; t < n; t += 32) for (int i = t; i < (t + 32 < n ? t + 32 : n); ++i) B[i] = 1;", {"n": 1001}, 1001),
    ("int n", "for (int t = 0; t < n; t += 32) for (int i = t; i < t + 32; ++i) B[i] = 1;", {"n": 1001}, 1024),
    ("int n", "for (int i = 0; i < n; ++i) if (i > 2 && i < n - 2) B[i - 3] = B[i + 2];", {"n": 100}, 100),
    ("int n, int on", "for (int i = 0; i < n; ++i) if (on) B[i + 1000] = 1;", {"n": 9, "on": 0}, 0),
    ("int n", "for (int i = 0; i < n; ++i) B[i > 0 ? i - 1 : 0] = B[i < n - 1 ? i + 1 : i];", {"n": 1000}, 1000),
    ("int n", "for (int i = 0; i < n; ++i) B[(i + 3) % n] = 1;", {"n": 77}, 77),
    ("int n", f"for (int s = 1; s < n; s *= 2) {TWIDDLE} B[k + j + s] = B[k + j];", {"n": 65536}, 65536),
    ("int n, int w", f"{CONVOLUTION} if (y + d >= 0 && y + d < n && x + e >= 0 && x + e < w) B[(y + d) * w + x + e] = 1;",
     {"n": 300, "w": 400}, 120000),
    ("int n, int w", f"{CLAMPED} B[u * w + l] += B[y * w + r]; }}", {"n": 300, "w": 400}, 120000),
    ("int n", "for (int i = 0; i < n; ++i) B[i / 2 + (i & 1) * ((n + 1) / 2)] = 1;", {"n": 31}, 31),
    ("int n", "int k = 1; while (k < n) { B[k] = 1; k *= 2; }", {"n": 100}, 65),
    ("int n", "int k = 0; for (int i = 0; i < n; ++i) for (int j = i; j < n; ++j) B[k++] = 1;", {"n": 20}, 210),
    ("int n", "double *p = B; for (int j = 0; j < n; ++j) for (int i = 0; i < n; ++i) *p++ = 1;", {"n": 20}, 400),
    ("int n", "for (int i = 0; i * i < n; ++i) B[i] = 1;", {"n": 100}, 10),
    ("int n", "for (int i = 0; ; ++i) { if (i >= n) break; B[i] = 1; }", {"n": 100}, 100),
    ("int n", "for (int i = 0; i < n; ++i) { if (i == 7) return; B[i] = 1; }", {"n": 1000000}, 7),
    ("int n", "do { B[n] = 1; n -= 3; } while (n > 0);", {"n": 9}, 10),
    ("unsigned char n", "for (unsigned char i = n; i != 5; ++i) B[i] = 1;", {"n": 250}, 256),
    ("int n", "unsigned char k = 0; for (int i = 0; i < n; ++i) B[k++] = 1;", {"n": 1000}, 256),
    ("int n", "for (int i = 0; i < n; ++i) B[n - 1 - i] = 1;", {"n": 12}, 12),
    ("int n, int s", "for (int i = 0; i < n; i += s) B[i] = 1;", {"n": 12, "s": 5}, 11),
]


def reaches(text):
    function = parse_c("k.c", text=text).functions[0]
    elements = {a.name: a.element_size for a in signature_of(function, frozenset()).arrays}
    return KernelReaches(program_of(prepare(function.function)), elements)


@pytest.mark.parametrize("parameters, body, values, needed", FORMS)
def test_bounds_of_all_forms(parameters, body, values, needed):
    found = reaches(f"void f({parameters}, double *B) {{ {body} }}")
    if needed is None:
        assert found.violation(values, {"B": SIZE << 62}).value < 0
        return
    assert found.violation(values, {"B": SIZE * needed}) is None
    if needed:
        assert found.violation(values, {"B": SIZE * (needed - 1)}).value == needed - 1


def test_inner_dimensions():
    loops = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    found = reaches(f"void f(int n, int m, double A[n][m], int k) {{ {loops} A[i][j + k] = 1; }}")
    sizes = {"A": 5 * 7 * SIZE}
    assert found.violation({"n": 5, "m": 7, "k": 0}, sizes) is None
    wrong = found.violation({"n": 5, "m": 7, "k": 1}, sizes)
    assert (wrong.array, wrong.dimension, wrong.value, wrong.bound) == ("A", 1, 7, 7)
    assert found.violation({"n": 0, "m": 7, "k": 1}, sizes) is None
    assert found.violation({"n": 6, "m": 7, "k": 0}, sizes).dimension == 0


def test_what_depends_on_data_is_not_checked():
    text = """void f(int n, const int *s, const int *rows, double *B) {
        for (int i = 0; i < n; ++i) { B[s[i]] = 1; for (int k = rows[i]; k < rows[i + 1]; ++k) B[k] += 1; }
        int k = 0; for (int i = 0; i < n; ++i) if (s[i] > 0) B[k++] = 2; }"""
    found = reaches(text)
    assert found.violation({"n": 4}, {"s": 16, "rows": 20, "B": 0}) is None
    assert found.violation({"n": 4}, {"s": 16, "rows": 16, "B": 0}).array == "rows"


def test_conditions_on_data_count_as_true():
    body = "for (int i = 0; i < n; ++i) if (A[i] > 0 && i > 0) B[i - 1] = 1;"
    found = reaches(f"void f(int n, const double *A, double *B) {{ {body} }}")
    assert found.violation({"n": 4}, {"A": 32, "B": 24}) is None
    assert found.violation({"n": 4}, {"A": 32, "B": 16}).value == 2


def test_swapped_pointers():
    text = """void f(int n, int t, double *a, double *b) { for (int k = 0; k < t; ++k) {
        for (int i = 1; i < n - 1; ++i) b[i] = a[i - 1] + a[i + 1]; double *c = a; a = b; b = c; } }"""
    found = reaches(text)
    assert found.violation({"n": 10, "t": 3}, {"a": 80, "b": 80}) is None
    assert found.violation({"n": 10, "t": 1}, {"a": 80, "b": 72}) is None
    assert found.violation({"n": 10, "t": 2}, {"a": 80, "b": 72}) is not None
    assert found.violation({"n": 10, "t": 1}, {"a": 72, "b": 80}) is not None


def test_what_takes_too_long_is_refused_unless_checks_are_off():
    text = "void f(long n, double *B) { long k = 3; for (long i = 0; i < n; ++i) { k = (k * 5 + 1) % 1021; B[k] = 1; } }"
    with pytest.raises(ValueError, match="check=False"):
        trv.compile(text, brush=None)(1 << 40, np.zeros(900))
    trv.compile(text, brush=None, check=False)(10, np.zeros(1021))


@pytest.fixture(scope="module")
def fenced():
    """A function that makes arrays which end where the memory ends."""
    libc, pages = ctypes.CDLL(None, use_errno=True), []

    def make_array(shape):
        count = int(np.prod(shape))
        size = max(1, -(-count * SIZE // mmap.PAGESIZE)) * mmap.PAGESIZE
        whole = mmap.mmap(-1, size + mmap.PAGESIZE)
        start = ctypes.addressof(ctypes.c_char.from_buffer(whole))
        assert libc.mprotect(ctypes.c_void_p(start + size), mmap.PAGESIZE, 0) == 0
        pages.append(whole)
        return np.frombuffer(whole, dtype=np.float64, count=size // SIZE)[size // SIZE - count :].reshape(shape)

    return make_array


@pytest.mark.parametrize("seed", [3, 8, 14, 21, 33, 40])
def test_calls_that_pass_touch_nothing_behind_their_arrays(seed, fenced):
    text, runs = make(seed)
    kernel = trv.compile(text, brush=None)
    for values, machine in runs:
        rows = max(values["n"], machine.touched.get("D", (0, -1))[1] + 1)
        if rows < 0 or rows * values["m"] > 1 << 20:
            continue
        lengths = {a: max(int(a == "A"), machine.touched.get(a, (0, -1))[1] + 1) for a in "ABC"}
        if max(lengths.values()) > 1 << 20:
            continue
        shapes = {**lengths, "C": max(lengths["C"], values["m"]), "D": (rows, values["m"])}
        arrays = {name: fenced(shape) for name, shape in shapes.items()}
        with contextlib.nullcontext() if not outside(machine) else pytest.raises(ValueError):
            kernel(**values, **arrays)


def test_calls_raise_with_the_arrays_name():
    k = trv.compile("void f(int n, int k, double V[restrict n]) { for (int i = 0; i < n; i++) V[i + k] = 1.0; }", brush=8)
    whole = np.zeros(16)
    for shift in (1, 4, 1 << 30, -1):
        with pytest.raises(ValueError, match="argument 'V' of f"):
            k(shift, whole[:8])
    assert not whole.any()
    k(0, whole[:8])
    assert whole.tolist() == [1] * 8 + [0] * 8


def outside(machine):
    return machine.outside_row or any(low < 0 for low, _ in machine.touched.values())


def check_program(seed):
    """Calls with arrays that are just long enough, and with one that is an element too short."""
    text, runs = make(seed)
    if not runs:
        return 0
    found = reaches(text)
    calls = 0
    for values, machine in runs:
        unit = {"A": SIZE, "B": SIZE, "C": SIZE, "D": SIZE * values["m"]}
        # conditions on A[0] are read whether or not the interpreter comes to them
        needed = {a: max(int(a == "A"), machine.touched.get(a, (0, -1))[1] + 1) for a in unit}
        several = [a for a in machine.touched if (a, needed[a]) != ("A", 1)]
        shorter = [] if outside(machine) else [{**needed, a: needed[a] - 1} for a in several]
        for sizes, expected in [(needed, outside(machine)), *((each, True) for each in shorter)]:
            wrong = found.violation(values, {a: n * unit[a] for a, n in sizes.items()})
            assert (wrong is not None) == expected, (seed, values, sizes, wrong, text)
            calls += 1
    return calls


@pytest.mark.parametrize("start", range(0, 30, 15))
def test_random_nests(start):
    assert sum(map(check_program, range(start, start + 15))) > 15


@pytest.mark.long
@pytest.mark.parametrize("start", range(1000, 11000, 500))
def test_many_random_nests(start):
    assert sum(map(check_program, range(start, start + 500))) > 1000
