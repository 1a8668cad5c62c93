"""The commands: a file for each, and its options in `options/`."""
