"""Postprocessing that an exported model lacks, and its NumPy reference."""
