"""Inspection: predicts where each node of a model runs in a browser, and what fails."""
