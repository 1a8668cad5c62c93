"""Passes that replace operators without a GPU kernel by operators that have one."""
