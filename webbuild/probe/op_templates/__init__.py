"""How operators are written, one module for a family, each with `TEMPLATES`."""
