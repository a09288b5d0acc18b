"""Measuring the machine at hand, and writing what was found as a description of its core (`rv.target.description`)."""
