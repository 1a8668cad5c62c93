"""Writing a bundle: graphs, weights, runtime, page, report."""
