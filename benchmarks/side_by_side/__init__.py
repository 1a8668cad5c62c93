"""The shipped pose model in its bundle, in plain onnxruntime-web, transformers.js, @ultralytics/yolo and LiteRT.js."""
