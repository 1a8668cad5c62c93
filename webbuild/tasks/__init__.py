"""Tasks: one file for each, found by walking this folder."""
