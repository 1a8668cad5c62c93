"""Ortweb."""
