"""Inputs of `compile_time.py`: C text of a given size. Their kinds are those of codes: solvers, halos, boundaries, stencils."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product


def _kernel(parameters: str, body: str) -> str:
    return f"void kernel(int n, {parameters})\n{{\n    for (int i = 0; i < n; ++i) {{\n{body}\n    }}\n}}\n"


def _function(parameters: Iterable[str], nests: Iterable[str]) -> str:
    return f"void kernel({', '.join(parameters)})\n{{\n" + "\n".join(nests) + "\n}\n"


# -- one nest with a large body


def nested_ifs(depth: int) -> str:
    """`depth` conditions inside each other, each with work of its own."""
    opening = "\n".join(f"if (x > {k}.0) {{ s += A[i] * {k}.5;" for k in range(depth))
    body = f"double x = A[i], s = 0;\n{opening}\n{'}' * depth}\nB[i] = s;"
    return _kernel("const double *restrict A, double *restrict B", body)


def chained_ifs(count: int) -> str:
    """`count` conditions one after the other, which lanes answer differently, with a store in every other arm: 3 blocks each."""
    arms = "\n".join(
        f"if (x > {k}.0) {{ s = s * {k}.5 + 1; B[i] = s; }} else {{ s = s - x; x = x / 1.5; }}" for k in range(count)
    )
    return _kernel("const double *restrict A, double *restrict B", f"double x = A[i], s = 0;\n{arms}\nB[i] = s;")


def small_loops(count: int) -> str:
    """`count` loops that lanes leave at different times, one after the other."""
    loops = "\n".join(f"while (x < {k + 2}.0) {{ x = x * 1.5 + 1; if (x > 1e6) break; s += x; }}" for k in range(count))
    return _kernel("const double *restrict A, double *restrict B", f"double x = A[i], s = 0;\n{loops}\nB[i] = s;")


def deep_loops(count: int) -> str:
    """A chain of `count` small sequential loops with known counts around loads."""
    loops = "\n".join(f"for (int k{k} = 0; k{k} < n; ++k{k}) s += A[k{k}] * {k}.5;" for k in range(count))
    return _kernel("const double *restrict A, double *restrict B", f"double s = 0;\n{loops}\nB[i] = s;")


def gotos(count: int) -> str:
    """A body of `count` labels; each jumps forward to one of the next two."""
    states = "\n".join(
        f"l{k}: s = s * 1.5 + x; x = x - 1; if (x > {k}.0) goto l{min(k + 2, count)};" for k in range(count)
    )
    return _kernel("const double *restrict A, double *restrict B", f"double x = A[i], s = 0;\n{states}\nl{count}: B[i] = s;")


def straight_line(statements: int) -> str:
    """`statements` assignments to variables without control flow."""
    lines = "\n".join(f"double v{k} = v{k - 1} * {k}.5 + A[i + {k % 64}] - v{k // 2};" for k in range(1, statements))
    return _kernel("const double *restrict A, double *restrict B", f"double v0 = A[i];\n{lines}\nB[i] = v{statements - 1};")


def many_stores(statements: int) -> str:
    """`statements` elements of one array written in each iteration."""
    lines = "\n".join(f"B[{statements} * i + {k}] = A[{statements} * i + {k}] * {k}.5;" for k in range(statements))
    return _kernel("const double *restrict A, double *restrict B", lines)


def many_arrays(count: int) -> str:
    """A sum of `count` arrays."""
    terms = " + ".join(f"A{k}[i]" for k in range(count))
    return _kernel(", ".join([*(f"const double *restrict A{k}" for k in range(count)), "double *restrict B"]), f"B[i] = {terms};")


def many_outputs(count: int, qualifier: str = "restrict") -> str:
    """`count` arrays, each of which is written."""
    parameters = ", ".join(f"double *{qualifier} A{k}" for k in range(count))
    return _kernel(parameters, "\n".join(f"A{k}[i] = A{k}[i] * {k}.5 + A{(k + 1) % count}[i];" for k in range(count)))


def box_stencil(width: int) -> str:
    """A three-dimensional stencil over width x width x width neighbours."""
    reach = width // 2
    terms = [f"A[k + {dk}][j + {dj}][i + {di}]" for dk, dj, di in product(range(-reach, reach + 1), repeat=3)]
    total = " +\n".join(terms).replace("+ -", "- ")
    return (
        "void kernel(int n, const double A[restrict n][n][n], double B[restrict n][n][n])\n{\n"
        f"    for (int k = {reach}; k < n - {reach}; ++k)\n    for (int j = {reach}; j < n - {reach}; ++j)\n"
        f"    for (int i = {reach}; i < n - {reach}; ++i)\n        B[k][j][i] = {total};\n}}\n"
    )


def clamped_box(count: int) -> str:
    """`count` 27-point stencils whose neighbours outside are those at the boundary."""
    names = {-1: "{}m", 0: "{}", 1: "{}p"}
    cells = product((-1, 0, 1), repeat=3)
    total = " + ".join(f"A[{names[a].format('k')}][{names[b].format('j')}][{names[c].format('i')}]" for a, b, c in cells)
    clamps = "".join(f"int {x}m = {x} > 0 ? {x} - 1 : 0, {x}p = {x} < n - 1 ? {x} + 1 : n - 1; " for x in "kji")
    loops = "".join(f"for (int {x} = 0; {x} < n; ++{x}) " for x in "kji")
    nests = (f"    {loops}{{ {clamps}B[k][j][i] = {m}.5 * ({total}); }}" for m in range(count))
    return _function(("int n", "const double A[restrict n][n][n]", "double B[restrict n][n][n]"), nests)


def guarded_box(count: int) -> str:
    """`count` 27-point stencils that leave out neighbours outside, each by a condition of its own."""

    def term(offsets: tuple[int, ...]) -> str:
        tests = [f"{x} > 0" if d < 0 else f"{x} < n - 1" for x, d in zip("kji", offsets, strict=True) if d]
        place = "".join(f"[{x} + {d}]" for x, d in zip("kji", offsets, strict=True)).replace("+ -", "- ")
        return f"if ({' && '.join(tests) or '1'}) s += A{place};"

    terms = " ".join(map(term, product((-1, 0, 1), repeat=3)))
    loops = "".join(f"for (int {x} = 0; {x} < n; ++{x}) " for x in "kji")
    nests = (f"    {loops}{{ double s = {m}; {terms} B[k][j][i] = s; }}" for m in range(count))
    return _function(("int n", "const double A[restrict n][n][n]", "double B[restrict n][n][n]"), nests)


# -- many nests in a function


def nested_loops(count: int) -> str:
    """`count` separate nests of two loops."""
    nests = (
        f"for (int j = 1; j < n - 1; ++j) for (int i = 1; i < n - 1; ++i) B[j][i] = A[j][i - 1] * {k}.5 + A[j][i + 1];"
        for k in range(count)
    )
    return _function(("int n", "const double A[restrict n][n]", "double B[restrict n][n]"), nests)


def weighted_stencils(count: int, *, reach: int, star: bool) -> str:
    """`count` times three nests: start values, a stencil with its weights in an array, and an update."""
    width, at = 2 * reach + 1, f"[jj + {reach}]"
    box = f"for (int jj = -{reach}; jj <= {reach}; ++jj) for (int ii = -{reach}; ii <= {reach}; ++ii) "
    box += f"out[i][j] += weight[ii + {reach}]{at} * in[i + ii][j + jj];"
    row = f"for (int jj = -{reach}; jj <= {reach}; ++jj) out[i][j] += weight[{reach}]{at} * in[i][j + jj];"
    column = "".join(
        f" for (int ii = {first}; ii <= {last}; ++ii) out[i][j] += weight[ii + {reach}][{reach}] * in[i + ii][j];"
        for first, last in ((-reach, -1), (1, reach))
    )
    inner = f"for (int i = {reach}; i < n - {reach}; ++i) for (int j = {reach}; j < n - {reach}; ++j)"
    everywhere = "for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j)"
    three = f"{everywhere} in[i][j] = i + j;\n{inner} {{ {row + column if star else box} }}\n{everywhere} in[i][j] += 1.0;"
    parameters = ("int n", f"double weight[{width}][{width}]", "double in[n][n]", "double out[n][n]")
    return _function(parameters, [three] * count)


def block_solver(count: int) -> str:
    """`count` nests of a block-tridiagonal solver with blocks of 5x5 numbers: sums, products of blocks, updates of vectors."""

    def element(kind: int, row: int, column: int) -> str:
        match kind:
            case 0:
                lower = f"fjac[i - 1][j][k][{row}][{column}] * t2 + njac[i - 1][j][k][{row}][{column}] * t1"
                return f"lhs[i][j][k][0][{row}][{column}] = -dt * ({lower});"
            case 1:
                return f"fjac[i][j][k][{row}][{column}] = u[i][j][k][{row}] * u[i][j][k][{column}] / u[i][j][k][0];"
            case _:
                product_ = " - ".join(f"lhs[i][j][k][0][{row}][{q}] * lhs[i - 1][j][k][2][{q}][{column}]" for q in range(5))
                return f"lhs[i][j][k][1][{row}][{column}] = lhs[i][j][k][1][{row}][{column}] - {product_};"

    def line(row: int) -> str:
        terms = " + ".join(f"lhs[i][j][k][0][{row}][{q}] * rhs[i - 1][j][k][{q}]" for q in range(5))
        return f"rhs[i][j][k][{row}] -= {terms};"

    vectors = (
        "for (m = 0; m < 5; ++m) for (l = 0; l < 5; ++l) rhs[i][j][k][m] -= lhs[i][j][k][2][m][l] * rhs[i][j][k + 1][l];",
        "for (m = 0; m < 5; ++m) rhs[i][j][k][m] = rhs[i][j][k][m] * dt;",
        "for (m = 0; m < 5; ++m) u[i][j][k][m] = u[i][j][k][m] + rhs[i][j][k][m];",
        "for (m = 0; m < 5; ++m) rhs[i][j][k][m] -= t1 * (u[i - 1][j][k][m] - 4.0 * u[i][j][k][m] + u[i + 1][j][k][m]);",
    )
    blocks = [" ".join(element(kind, row, column) for row in range(5) for column in range(5)) for kind in range(3)]
    bodies = (blocks[0], " ".join(map(line, range(5))), *vectors[:2], blocks[2], vectors[2], blocks[1], vectors[3])
    outer = "for (i = 1; i < ni - 1; ++i) for (j = 1; j < nj - 1; ++j) for (k = 1; k < nk - 1; ++k)"
    parameters = ("int ni", "int nj", "int nk", "double rhs[64][64][64][5]", "double lhs[64][64][64][3][5][5]")
    parameters += ("double u[64][64][64][5]", "double fjac[64][64][64][5][5]", "double njac[64][64][64][5][5]")
    nests = (f"{outer} {{ {bodies[number % len(bodies)]} }}" for number in range(count))
    return _function((*parameters, "double dt", "double t1", "double t2"), ("int i, j, k, l, m;", *nests))


def halo_update(count: int) -> str:
    """`count` nests that copy to the four sides of fields, each under conditions."""
    width, number = "(x_max + 4)", -(-count // 4)

    def at(field: int, x: str, y: str) -> str:
        return f"field{field}[({x}) - (x_min - 2) + (({y}) - (y_min - 2)) * {width}]"

    def side(index: int) -> str:
        field, place = divmod(index, 4)
        upright = place < 2
        near, mirrored = (("1 - {}", "{}"), ("{1} + {0}", "{1} + 1 - {0}"))[place % 2]
        inner, last = ("k", "y_max") if upright else ("j", "x_max")
        written, read = near.format(inner, last), mirrored.format(inner, last)
        target, source = ((at(field, "j", y) if upright else at(field, y, "k")) for y in (written, read))
        outer, end = ("j", "x") if upright else ("k", "y")
        head = f"for ({outer} = {end}_min - depth; {outer} <= {end}_max + depth; {outer}++)"
        copy = f"#pragma ivdep\nfor ({inner} = 1; {inner} <= depth; {inner}++) {{ {target} = {source}; }}"
        return f"if (fields[{field}] == 1 && neighbours[{place}] == -1) {{ {head} {{\n{copy} }} }}"

    parameters = ("int x_min", "int x_max", "int y_min", "int y_max", "int depth", "int *neighbours", "int *fields")
    arrays = (f"double *field{field}" for field in range(number))
    return _function((*parameters, *arrays), ("int j, k;", *map(side, range(count))))


def conditional_copies(count: int) -> str:
    """`count` nests that copy rows of an array of their own, each under a condition."""
    parameters = ("int x_min", "int x_max", "int depth", "int *fields", *(f"double *a{m}" for m in range(count)))
    nests = (
        f"if (fields[{m}] == 1) for (j = x_min - depth; j <= x_max + depth; j++) for (k = 1; k <= depth; k++)"
        f" a{m}[(j - x_min + 2) + (1 - k + 2) * (x_max + 4)] = a{m}[(j - x_min + 2) + (k + 2) * (x_max + 4)];"
        for m in range(count)
    )
    return _function(parameters, ("int j, k;", *nests))


def products(count: int) -> str:
    """`count` matrix products, whose sums live in variables once arrays are known to be distinct."""
    arrays = (f"double A{m}[n][n]" for m in range(count))
    loops = "for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) for (int k = 0; k < n; ++k)"
    nests = (f"{loops} A{m}[i][j] += B[i][k] * C[k][j];" for m in range(count))
    return _function(("int n", *arrays, "double B[n][n]", "double C[n][n]"), nests)


def branching_nests(count: int) -> str:
    """`count` nests with branches that lanes take differently."""
    nests = (
        "for (int i = 1; i < n - 1; ++i) for (int j = 1; j < n - 1; ++j) { double x = B[i][j];"
        f" if (x > {m}.0) {{ A[i][j] = x * {m}.5 + B[i - 1][j]; }} else if (B[i][j + 1] > x) A[i][j] -= x / B[i + 1][j]; }}"
        for m in range(count)
    )
    return _function(("int n", "double A[restrict n][n]", "const double B[restrict n][n]"), nests)


# -- many functions in a file


def boundary_functions(count: int) -> str:
    """`count` loops over boundaries of an array, five to a function."""
    kinds = (
        "for (int i = 0; i < nx; ++i) u[i] = u[i + nx];",
        "for (int i = 0; i < nx; ++i) u[(ny - 1) * nx + i] = u[(ny - 2) * nx + i];",
        "for (int j = 0; j < ny; ++j) u[j * nx] = u[j * nx + 1];",
        "for (int j = 0; j < ny; ++j) u[j * nx + nx - 1] = -u[j * nx + nx - 2];",
        "for (int j = 0; j < ny; ++j) for (int i = 0; i < 2; ++i) v[j * nx + i] = u[j * nx + i] * 1.5;",
    )
    loops = [kinds[number % 5] for number in range(count)]
    bodies = ["\n    ".join(loops[first : first + 5]) for first in range(0, count, 5)]
    return "\n".join(f"void bound{m}(int nx, int ny, double *u, double *v)\n{{\n    {b}\n}}\n" for m, b in enumerate(bodies))
