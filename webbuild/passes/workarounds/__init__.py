"""Rewrites of nodes that a kernel throws on or gets wrong, one file each. A `Workaround` is a rule of `inspect` too."""
