"""The post-processing that an export lacks, and its NumPy reference."""
