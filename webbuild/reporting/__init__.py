"""Numbers into words, tables, charts and pages."""
