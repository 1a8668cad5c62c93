"""Chromium on Mesa's lavapipe: a second adapter for machines without a GPU, and one that has float16."""
