"""A model of several graphs: the order of its stages, what joins them, their samples, the proof of the whole."""
