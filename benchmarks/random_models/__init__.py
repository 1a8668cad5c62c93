"""Models of one operator or a short chain, with unusual shapes, each generated from a seed."""
