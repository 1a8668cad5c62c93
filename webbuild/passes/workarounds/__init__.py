"""Rewrites of nodes that a GPU kernel throws on or computes wrong. Each `Workaround` is a rule of `inspect` too."""
