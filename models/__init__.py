"""Recipes for the models that the demo pages and the tests use."""
