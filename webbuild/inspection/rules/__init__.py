"""One known failure a file; found by walking this folder."""
