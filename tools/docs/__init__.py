"""The documentation site: pages from `docs/`, and reference pages generated from the sources."""
