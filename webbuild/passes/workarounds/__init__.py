"""Workarounds."""
