"""Structs passed by value, as gcc passes them: in registers of both kinds, on the stack, and as pointers to copies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from tensorrv.cli.gen import main
from tests.run.toolchain import REFERENCE, TARGETS, installed

STRUCTS = {
    "int a, b, c, d;": "x.a + 2 * x.b + 3 * x.c + 5 * x.d",
    "double a, b;": "x.a + 2 * x.b",
    "float a, b;": "x.a + 2 * x.b",
    "float a;": "x.a",
    "float a[3];": "x.a[0] + 2 * x.a[1] + 3 * x.a[2]",
    "float a, b, c, d;": "x.a + 2 * x.b + 3 * x.c + 5 * x.d",
    "float a[5];": "x.a[0] + 2 * x.a[4]",
    "double a, b, c;": "x.a + 2 * x.b + 3 * x.c",
    "double a[4];": "x.a[0] + 2 * x.a[3]",
    "int a; double b;": "x.a + 2 * x.b",
    "double a; int b;": "x.a + 2 * x.b",
    "float a; int b; double c;": "x.a + 2 * x.b + 3 * x.c",
    "float a, b; int c;": "x.a + 2 * x.b + 3 * x.c",
    "signed char a; short b; float c;": "x.a + 2 * x.b + 3 * x.c",
    "char a[5];": "x.a[0] + 2 * x.a[4]",
    "long a, b, c;": "x.a + 2 * x.b + 3 * x.c",
    "struct { short s[2]; } a; float b; _Bool c;": "x.a.s[0] + 2 * x.a.s[1] + 3 * x.b + x.c",
    "const double *a; int b;": "x.a[i] + 2 * x.b",
}
FEW = "double f{k}(int n, S{k} x, double *restrict out)\n"
MANY = "double g{k}(S{k} x, float f, int n, S{k} y, double *restrict out, double d, S{k} z, long l, S{k} u, S{k} v, S{k} w)\n"
EXACT = "double h{k}(double *restrict out, int n, S{k} x, S{k} y, long l)\n"
"""Two structs of two words take what registers for integers are left on x86-64."""


def functions(expression: str, k: int) -> str:
    def of(name: str) -> str:
        return "(" + expression.replace("x.", f"{name}.") + ")"

    several = " + ".join(f"{weight} * {of(name)}" for name, weight in zip("xyzuvw", (1, 7, 11, 13, 17, 19), strict=True))
    loop = "for (int i = 0; i < n; i++) out[i] = {} + i"
    few = FEW.format(k=k) + "{ " + loop.format(of("x")) + "; return out[n - 1]; }\n"
    few += EXACT.format(k=k) + "{ " + loop.format(f"{of('x')} + 3 * {of('y')} + l") + "; return l; }\n"
    return few + MANY.format(k=k) + "{ " + loop.format(f"{several} + f + 2 * d + 3 * l") + "; return d; }\n"


def declarations() -> str:
    return "".join(f"typedef struct s{k} {{ {members} }} S{k};\n" for k, members in enumerate(STRUCTS))


def program() -> str:
    calls = ""
    for k, members in enumerate(STRUCTS):
        made = "".join(f"    S{k} {n}; fill(&{n}, sizeof {n}, {j});\n" for j, n in enumerate("xyzuvw"))
        if "*" in members:
            made = "".join(f"    S{k} {n} = {{data + {j}, {j}}};\n" for j, n in enumerate("xyzuvw"))
        shown = f"    show({k}, f{k}(5, x, out), out);\n    show({k}, g{k}(x, 1.5f, 5, y, out, 2.5, z, 9, u, v, w), out);\n"
        shown += f"    show({k}, h{k}(out, 5, x, y, 77), out);\n"
        calls += f"{{\n{made}{shown}}}\n"
    forms = (FEW, EXACT, MANY)
    prototypes = "".join(f"{form.format(k=k).strip()};\n" for k in range(len(STRUCTS)) for form in forms)
    return (
        "#include <stdio.h>\n#include <string.h>\n"
        + declarations()
        + prototypes
        + "static double data[20] = {1.5, 2.5, 4.5, 8.5, 16.5, 32.5, 64.5, 3, 4, 5, 6, 7};\n"
        # bytes that make small numbers of all types: exponents of floating-point numbers near 1
        "static void fill(void *p, unsigned long n, int k)\n{\n"
        "    unsigned char *b = p;\n    for (unsigned long i = 0; i < n; i++)\n"
        "        b[i] = i % 4 == 3 ? 0x3f : i % 4 == 2 ? 0x80 + k : i % 4 == 0 && n < 9 ? 1 : 0;\n}\n"
        "static void show(int k, double r, const double *out) "
        '{ printf("%d %a", k, r); for (int i = 0; i < 5; i++) printf(" %a", out[i]); printf("\\n"); }\n'
        "int main(void)\n{\n    double out[5];\n" + calls + '    printf("done\\n");\n    return 0;\n}\n'
    )


@pytest.mark.parametrize("target", TARGETS)
def test_structs_arrive_as_gcc_passes_them(target: str, tmp_path: Path) -> None:
    tools = installed(target)
    text = declarations() + "".join(functions(expression, k) for k, expression in enumerate(STRUCTS.values()))
    (tmp_path / "functions.c").write_text(text)
    (tmp_path / "program.c").write_text(program())
    assert main([str(tmp_path / "functions.c"), "--brush", "4", "--target", target, "--emit", "obj", "-o", str(tmp_path)]) == 0
    ours = sorted(tmp_path.glob(f"*.{target}.o"))
    assert len(ours) == 3 * len(STRUCTS)
    objects = {name: tmp_path / f"{name}.o" for name in ("functions", "program")}
    for name, path in objects.items():
        tools.compile(tmp_path / f"{name}.c", path, *REFERENCE)
    tools.link(list(objects.values()), tmp_path / "expected")
    tools.link([objects["program"], *ours], tmp_path / "found")
    expected, found = tools.run(tmp_path / "expected"), tools.run(tmp_path / "found")
    assert found == expected and len(set(expected.split("\n"))) > 30


def test_members_are_parameters_from_python() -> None:
    text = """struct mod { int x0, x1; struct { double s; } in; };
    void step(struct mod m, int n, float v[n]) { for (int x = m.x0; x < m.x1; x++) v[x] *= m.in.s; }"""
    kernel = trv.compile(text, brush=8, target="avx2")
    v = np.arange(40, dtype=np.float32)
    kernel(m_x0=3, m_x1=30, m_in_s=0.5, v=v)
    expected = np.arange(40, dtype=np.float32)
    expected[3:30] *= np.float32(0.5)
    assert np.array_equal(v, expected)
