"""Draws pictures of people, and knows where their joints are."""
