"""Models of one operator with awkward shapes, each made from a seed."""
