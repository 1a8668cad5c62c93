"""Prompts that a model is tried with: words and clicks."""
