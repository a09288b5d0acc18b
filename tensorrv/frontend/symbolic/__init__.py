"""Kernels from formulas: sympy assignments and stencils become C text, which is compiled like any other."""
