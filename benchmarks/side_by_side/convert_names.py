"""The files that `convert` writes, by the format of the exporter."""

FORMATS = {"onnx": "yolo-pose.onnx", "litert": "yolo-pose.tflite"}
