"""Opset."""
