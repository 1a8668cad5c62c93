"""Weights stored as int8 with scales, and the search for their bit widths."""
