"""Quotients and square roots off the divider: the choice of registers, and the multiplications that take its place."""
