"""Jumps of every kind mean to us what they mean to gcc: goto, cases inside statements, break and continue, early return."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from rv.analysis.cfg.loops import find_loops
from tensorrv.frontend.c.module import parse_c
from tests.frontend.against_gcc import compare_with_gcc

LOOPS = """
int doubles(int n, int *I) { int s = 0; again: s += I[n & 7] & 15; if (n-- > 0) goto again; return s; }
int out(int n, int *I)
{
    int s = 0, i, j = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++) {
            if ((I[j & 7] & 7) == 3) continue;
            if ((I[i & 7] & 31) == 5) goto done;
            if (I[i & 7] == I[j & 7] && i > j) return -s;
            s += (i ^ j) & 3;
        }
    s += 1000;
done:
    return s * 16 + j;
}
int chained(int n, int *I)
{
    int s = 0;
    if (n < 3) goto small;
    if (n < 5) goto medium;
    s += 100;
medium:
    s += 10;
    if (I[0] & 1) goto end;
small:
    s += 1;
end:
    return s;
}
int machine(int n, int *I)
{
    int k = 0, s = 0;
even:
    if (k >= n) goto stop;
    s = 3 * s + (I[k++ & 7] & 15);
    if (s & 1) goto odd;
    goto even;
odd:
    s -= 7;
    if (s > 1000) goto stop;
    if (k < n) goto even;
stop:
    return s;
}
int backwards_only(int n, int *I)
{
    int s = 0;
    goto test;
body:
    s += I[n & 7] & 3;
    n--;
test:
    if (n > 0) goto body;
    return s;
}
int unused(int n, int *I)
{
    goto end;
    for (;;) { dead: n++; if (n > 40) break; }
end:
    return n;
never:
    n = 7;
    goto dead;
}
int into_a_loop(int n, int *I)
{
    int i = 5, s = 0;
    goto inside;
    while (0) {
inside:
        s += i;
        if (--i > 0) goto inside;
    }
    return s + n;
}
int rest(int n, int *I)
{
    int s = 0;
    do {
        int m = I[n & 7] & 3;
        n--;
        if (m == 0) continue;
        if (m == 1 && n < 6) break;
        while (1) { if (m-- < 2) break; s += m; if (s > 50) return s; }
        s++;
    } while (n > 0);
    return s;
}
static int find(int n, int *I, int what)
{
    int k = 0;
next:
    if (k == 8) return -1;
    if ((I[k] & 3) == what) goto found;
    k++;
    goto next;
found:
    return k;
}
int inlined(int n, int *I)
{
    int s = 0;
    for (int k = 0; k < 4; k++) {
        int a = find(n, I, k);
        if (a < 0) continue;
        s = 10 * s + a;
    }
    return s;
}
"""

SWITCHES = """
int duff(int n, int *I)
{
    int s = 0, k = (n + 3) / 4;
    if (n <= 0) return 0;
    switch (n % 4) {
    default: do { s += 1;
    case 3: s = s * 2 + 1;
    case 2: s = s * 2 + 1;
    case 1: s = s * 3;
    } while (--k > 0);
    }
    return s;
}
int through(int n, int *I)
{
    int s = 0;
    for (int k = 0; k < n; k++)
        switch (I[k & 7] & 7) {
            int t;
        case 0: case 1: s++;
        case 2: t = s & 3; s += t; break;
        default: s += 5;
        case 4: { s ^= 9; case 5: s += 2; if (s & 1) { case 6: s += 3; continue; } }
        case 3: s--;
        }
    return s;
}
int single(int n, int *I) { switch (n) case 3: return 5; return I[0]; }
int empty(int n, int *I) { switch (n++) {} switch (n) { default:; } return n; }
int leaves(int n, int *I)
{
    for (;;)
        switch (n) {
        case 0: goto out;
        case 1: n = 7; break;
        case 2: return 22;
        case 7: n = 0; continue;
        default: n = n > 0 ? n - 1 : 0;
        }
out:
    return n + 5;
}
int unsigned_values(int n, int *I)
{
    unsigned char c = n * 37;
    unsigned u = I[n & 7];
    switch (c) { case 'a': return 1; case 148: return 2; case 37: return 3; }
    switch (u) { case -1: return 4; case 7u: return 5; }
    return 6;
}
"""


def test_jumps_agree_with_gcc(tmp_path: Path) -> None:
    assert compare_with_gcc(LOOPS, tmp_path, sizes=range(-1, 12)) == set()


def test_switches_agree_with_gcc(tmp_path: Path) -> None:
    assert compare_with_gcc(SWITCHES, tmp_path, sizes=range(-1, 12)) == {"duff"}  # its loop has four entries


ENTERED_TWICE = """
void f(int n, const int a[restrict n], int b[restrict n])
{
    for (int i = 0; i < n; i++) {
        int k = a[i] & 7, s = 0;
        if (a[i] > 3) goto middle;
        while (k > 0) {
            s += k;
        middle:
            k--;
        }
        b[i] = s;
    }
}
"""


def test_both_entries_of_a_cycle_inside_a_loop_are_shown() -> None:
    """The loop around it is entered once, and is none of them."""
    ((_, refusal),) = parse_c("f.c", text=ENTERED_TWICE).passed_over
    (other,) = refusal.related
    assert refusal.code == "TRV033" and refusal.span is not None
    lines = ENTERED_TWICE.split("\n")
    assert {lines[span.line - 1].strip() for span in (refusal.span, other.span)} == {"while (k > 0) {", "middle:"}


class Jumps:
    """Random functions of labelled pieces with gotos among them; each piece spends fuel, so that all runs end."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def function(self, name: str) -> str:
        count = self.random.randrange(2, 7)
        pieces = [f"L{k}: {self.piece(k, count)}" for k in range(count)]
        start = f"goto L{self.random.randrange(count)};" if self.random.random() < 0.3 else ""
        return f"int {name}(int n, int *I)\n{{ int s = 0, fuel = 60, k = 0;\n{start}\n" + "\n".join(pieces) + "\nreturn s; }\n"

    def piece(self, number: int, count: int) -> str:
        parts = [self.simple() for _ in range(self.random.randrange(3))]
        target = self.random.randrange(count) if self.random.random() < 0.4 else min(number + 1, count - 1)
        jump = f"if (fuel-- > 0 && {self.test()}) goto L{target};"
        if self.random.random() < 0.3:
            jump = f"while (fuel-- > 0) {{ {self.simple()} if ({self.test()}) break; {jump} if ({self.test()}) continue; s++; }}"
        elif self.random.random() < 0.3:
            jump = f"switch (s & 3) {{ case 0: {jump} case 1: {self.simple()} break; default: {self.simple()} case 2: s++; }}"
        return " ".join([*parts, jump])

    def test(self) -> str:
        return self.random.choice(["s & 1", "(I[k & 7] & 3) == 2", "n > k", "(s ^ n) & 4", "k % 3 == 0", "1"])

    def simple(self) -> str:
        return self.random.choice(["s = s * 3 + 1;", "k++;", "s ^= I[k & 7] & 255;", "n--;", "I[s & 7] += k;", "s &= 0xffff;"])


def compare_random(seed: int, count: int, directory: Path) -> int:
    """How many of the functions were reducible."""
    jumps = Jumps(seed)
    return count - len(compare_with_gcc("".join(jumps.function(f"f{k}") for k in range(count)), directory, sizes=(0, 3, 9)))


def test_random_jumps_agree_with_gcc(tmp_path: Path) -> None:
    assert compare_random(1, 80, tmp_path) > 30


@pytest.mark.long
@pytest.mark.parametrize("seed", range(10, 40))
def test_many_random_jumps_agree_with_gcc(seed: int, tmp_path: Path) -> None:
    compare_random(seed, 300, tmp_path)


def test_loops_of_gotos_are_natural_loops() -> None:
    functions = {f.name: f.function for f in parse_c("jumps.c", text=LOOPS).functions}
    assert list(find_loops(functions["doubles"]).loops) == ["again"]
    assert list(find_loops(functions["backwards_only"]).loops) == ["test"]
    assert not find_loops(functions["unused"]).loops
