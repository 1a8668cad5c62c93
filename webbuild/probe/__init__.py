"""Measures what a build of onnxruntime-web can do: tiny models of one node, run in a browser, compared with native."""
