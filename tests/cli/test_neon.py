"""What the command writes for NEON, run under emulation as a replacement of the C function."""

from pathlib import Path

import pytest

from tensorrv.cli.gen import main

MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include "{name}.neon.h"
{reference}
int main(void)
{{
    for (int rows = 1; rows < 24; rows += 1 + rows / 9)
        for (int cols = 1; cols < 24; ++cols) {{
            double *a = malloc(rows * cols * sizeof *a), *b = calloc(rows * cols, sizeof *b), *c = calloc(rows * cols, sizeof *c);
            for (int k = 0; k < rows * cols; ++k) a[k] = (double)rand() / RAND_MAX;
            {name}(rows, cols, (const void *)a, (void *)b);
            reference(rows, cols, (const void *)a, (void *)c);
            for (int k = 0; k < rows * cols; ++k)
                if (b[k] != c[k]) {{ printf("rows %d cols %d element %d: %a %a\\n", rows, cols, k, b[k], c[k]); return 0; }}
            free(a); free(b); free(c);
        }}
    printf("equal");
    return 0;
}}
"""


@pytest.mark.parametrize(("name", "brush"), [("jacobi5", "4x8"), ("seidel9", "3x5"), ("transpose", "8x8"), ("transpose", "4x2")])
def test_replaces_the_c_function(name, brush, tmp_path, aarch64):
    assert main([name, "--brush", brush, "--target", "neon", "--emit", "obj,header", "-o", str(tmp_path)]) == 0
    kernels = Path(__file__).parents[2] / "kernels"
    source = (kernels / f"{name}.c").read_text()
    reference = source.replace(f"void {name}(", "static void reference(").replace("real.h", f"{kernels}/real.h")
    program = tmp_path / "main.c"
    program.write_text(MAIN.format(name=name, reference=reference))
    assert aarch64(program, tmp_path / f"{name}.neon.o", "-ffp-contract=off") == "equal"
