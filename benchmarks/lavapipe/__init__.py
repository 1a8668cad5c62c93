"""Chromium on Mesa's lavapipe: a second adapter for machines without a GPU, with float16."""
