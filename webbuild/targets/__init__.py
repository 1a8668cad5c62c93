"""What builds of onnxruntime-web can do, measured in a browser: one table for each version and build."""
