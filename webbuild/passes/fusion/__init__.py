"""Passes that fuse or fold operators that the engine does not fuse, or fuses too late."""
