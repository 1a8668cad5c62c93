"""Operators without a GPU kernel, written with operators that have one."""
