"""Build tools for everything that is published besides the package."""
