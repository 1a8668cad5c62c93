"""The files that `convert` writes, by export format."""

FORMATS = {"onnx": "yolo-pose.onnx", "litert": "yolo-pose.tflite"}
