"""Vectorizes, emits and runs functions and loops in a process in which only rv can be imported. Run as a script."""

import importlib.abc
import sys


class Only(importlib.abc.MetaPathFinder):
    """Refuses to find the packages that build on rv."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("tensorrv", "layouts", "autotune", "islpy", "pycparser"):
            raise ImportError(f"{name} cannot be imported here")
        return None


sys.meta_path.insert(0, Only())

import numpy as np  # noqa: E402

import rv  # noqa: E402

POWER = """define double @power(double %x, i32 %n) {
start:
  jump head
head:
  %k = phi i32 [%n, start], [%less, body]
  %r = phi double [%x, start], [%more, body]
  %c = icmp sgt i32 %k, 1
  branch %c, body, done
body:
  %less = sub nsw i32 %k, 1
  %more = fmul double %r, %x
  jump head
done:
  return double %r
}"""

COLLATZ = """define i32 @collatz(i32 %n) {
start:
  jump head
head:
  %k = phi i32 [%n, start], [%next, latch]
  %s = phi i32 [0, start], [%t, latch]
  %c = icmp sgt i32 %k, 1
  branch %c, body, done
body:
  %low = and i32 %k, 1
  %odd = icmp ne i32 %low, 0
  branch %odd, up, down
up:
  %three = mul i32 %k, 3
  %more = add i32 %three, 1
  jump latch
down:
  %half = lshr i32 %k, 1
  jump latch
latch:
  %next = phi i32 [%more, up], [%half, down]
  %t = add i32 %s, 1
  jump head
done:
  return i32 %s
}"""

# sums rows, skipping what is negative; writes what is read through another pointer
ROWS = """define void @rows(i64 %n, i64 %m, ptr restrict %B, ptr %A) {
start:
  jump outer
outer:
  %j = phi i64 [0, start], [%j1, last]
  %cj = icmp slt i64 %j, %n
  branch %cj, enter, done
enter:
  jump inner
inner:
  %i = phi i64 [0, enter], [%i1, latch]
  %s = phi double [0.0, enter], [%s1, latch]
  %ci = icmp slt i64 %i, %m
  branch %ci, body, last
body:
  %p = elemptr double, %A [%j, %i] extents [%m]
  %x = load double, %p
  %neg = fcmp olt double %x, 0.0
  branch %neg, latch, plus
plus:
  %y = fadd double %s, %x
  jump latch
latch:
  %s1 = phi double [%s, body], [%y, plus]
  %i1 = add nsw i64 %i, 1
  jump inner
last:
  %q = elemptr double, %B [%j]
  store double %s, %q
  %j1 = add nsw i64 %j, 1
  jump outer
done:
  return void
}"""

SHIFT = """define void @shift(i64 %n, ptr %A, ptr %B) {
start:
  jump head
head:
  %i = phi i64 [0, start], [%i1, body]
  %c = icmp slt i64 %i, %n
  branch %c, body, done
body:
  %back = sub nsw i64 %n, %i
  %p = elemptr i32, %A [%back]
  %x = load i32, %p
  %p3 = mul nsw i64 %i, 3
  %q = elemptr i32, %B [%p3]
  store i32 %x, %q
  %i1 = add nsw i64 %i, 1
  jump head
done:
  return void
}"""

RECURRENCE = """define void @running(i64 %n, ptr %A) {
start:
  jump head
head:
  %i = phi i64 [DISTANCE, start], [%i1, body]
  %c = icmp slt i64 %i, %n
  branch %c, body, done
body:
  %before = sub nsw i64 %i, DISTANCE
  %p = elemptr i64, %A [%before]
  %x = load i64, %p
  %q = elemptr i64, %A [%i]
  %y = add i64 %x, 1
  store i64 %y, %q
  %i1 = add nsw i64 %i, 1
  jump head
done:
  return void
}"""


def main(target: str) -> None:
    x, n = np.arange(1, 9) / 4, np.arange(-1, 7, dtype=np.int32)
    power = rv.vectorize_function(POWER, width=8, target=target)
    expected = np.array([a ** max(1, k) for a, k in zip(x, n, strict=True)])
    assert np.array_equal(power(x, n), expected), power(x, n)
    masked = rv.vectorize_function(POWER, width=4, shapes={"n": rv.Uniform()}, mask=True, target=target)
    assert masked(x[:4], 3, mask=np.array([True, True, False, True]))[[0, 1, 3]].tolist() == (x[[0, 1, 3]] ** 3).tolist()

    collatz = rv.vectorize_function(COLLATZ, width=16, target=target)
    starts = np.arange(1, 17, dtype=np.int32)
    steps = []
    for start in starts.tolist():
        count = 0
        while start > 1:
            start, count = (3 * start + 1 if start % 2 else start // 2), count + 1
        steps.append(count)
    assert collatz(starts).tolist() == steps

    rows = rv.vectorize_loop(ROWS, "j", width=8, target=target)
    for count in (0, 1, 8, 19):
        A, B = np.random.default_rng(count).normal(size=(count, 7)), np.zeros(count)
        rows(count, 7, B, A)
        expected = np.zeros(count)
        for column in A.T:
            expected = np.where(column < 0, expected, expected + column)
        assert B.tobytes() == expected.tobytes(), count

    shift = rv.vectorize_loop(SHIFT, "i", width=8, target=target)
    for count in (0, 5, 16, 37):
        a, b = np.arange(100, dtype=np.int32), np.full(120, -1, np.int32)
        shift(count, a, b)
        wanted = np.full(120, -1, np.int32)
        wanted[: 3 * count : 3] = a[count : 0 : -1]
        assert np.array_equal(b, wanted), count
    overlapping = np.arange(200, dtype=np.int32)
    wanted = overlapping.copy()
    for i in range(30):
        wanted[3 * i] = wanted[30 - i]
    shift(30, overlapping, overlapping)
    assert np.array_equal(overlapping, wanted)

    far = rv.vectorize_loop(RECURRENCE.replace("DISTANCE", "8"), "i", width=8, target=target)
    values, wanted = np.arange(50), np.arange(50)
    for i in range(8, 50):
        wanted[i] = wanted[i - 8] + 1
    far(50, values)
    assert np.array_equal(values, wanted)
    try:
        rv.vectorize_loop(RECURRENCE.replace("DISTANCE", "7"), "i", width=8, target=target)
    except rv.CannotVectorize as refused:
        assert "7 apart" in str(refused), refused
    else:
        raise AssertionError("a recurrence of distance 7 has 8 lanes")


if __name__ == "__main__":
    main(sys.argv[1])
