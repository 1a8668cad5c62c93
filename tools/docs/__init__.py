"""The documentation site: pages from `docs/`, and reference pages made from the sources."""
