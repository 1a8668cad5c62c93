"""Measurements, for documents: nothing here is asserted, and nothing is part of the package."""
