"""Decoding: turn model outputs into results, and the types of results."""
