"""Measurements for the documentation: they assert nothing and are not part of the package."""
