"""Bisection: finds the node with a differing output, by running parts of a graph on a reference's values."""
