"""Pipelines, models of several graphs: the order of the stages, their joins, samples and end-to-end proof."""
