"""Tasks: one file per task, found by walking this folder. Subfolders have shared code."""
