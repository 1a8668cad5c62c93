"""Operator templates, one module per family, each with `TEMPLATES`."""
