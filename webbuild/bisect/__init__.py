"""Bisection: finds the node whose output differs, by running parts of a graph against a reference's values."""
