"""Whether a candidate gives the answers of a reference: the one comparison engine, and its policies."""
