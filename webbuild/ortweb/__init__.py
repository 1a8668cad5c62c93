"""One build of onnxruntime-web, and running models on it in a browser."""
