"""Which node makes the answers differ: cuts of a graph, run on a backend, against a reference's values."""
