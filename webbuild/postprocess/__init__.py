"""Detection heads that an export lacks, and their NumPy references."""
