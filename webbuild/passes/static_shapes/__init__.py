"""Shapes that depend on the data or on free dimensions, made fixed."""
