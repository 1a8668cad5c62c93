"""Rules of the inspection, by how a node ends: a decorated function each, found by walking this folder."""
