"""Decoding: outputs of a model into results, and the types of results."""
