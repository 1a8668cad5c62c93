"""Format detection for files that are not a model or a sample."""

from __future__ import annotations

_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (
        b"version https://git-lfs",
        "a Git LFS pointer, not the file that it points to",
        "run `git lfs pull` where it came from, or download the file itself",
    ),
    (
        b"PK\x03\x04",
        "a zip archive, such as a PyTorch checkpoint (.pt, .pth)",
        "export the model to ONNX first, for example with `yolo export format=onnx` or torch.onnx.export",
    ),
    (b"\x80\x02", "a Python pickle, such as an old PyTorch checkpoint", "export the model to ONNX first"),
    (b"\x89HDF", "an HDF5 file, such as a Keras model", "export the model to ONNX first, for example with tf2onnx"),
    (b"GGUF", "a GGUF file, made for llama.cpp", "take the ONNX export of the model instead"),
    (b"\x89PNG", "a PNG picture", "pictures are given with --sample; MODEL is an .onnx file"),
    (b"\xff\xd8\xff", "a JPEG picture", "pictures are given with --sample; MODEL is an .onnx file"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"\x93NUMPY", "a single array (.npy)", "arrays are given with --sample, as .npz files written by numpy.savez"),
    *(
        (start, what, "audio and video are given with --sample, as .npz files with the array that the model takes")
        for start, what in (
            (b"OggS", "an Ogg audio or video file"),
            (b"fLaC", "a FLAC audio file"),
            (b"ID3", "an MP3 audio file"),
            (b"\xff\xfb", "an MP3 audio file"),
            (b"\x1aE\xdf\xa3", "a WebM or Matroska video"),
        )
    ),
)
_CONTAINERS = {b"WAVE": "a WAV audio file", b"AVI ": "an AVI video", b"WEBP": "a WebP picture"}
"""Contents of a RIFF file, by the four bytes after its length."""
_HTML_STARTS = (b"<!doctype", b"<html", b"<?xml", b"<head")


def sniff_format(data: bytes) -> tuple[str, str] | None:
    """Return the format of a file by its first bytes, and the fix; None if it may be ONNX."""
    if not data:
        return "an empty file", "download or export the model again"
    for start, what, fix in _SIGNATURES:
        if data.startswith(start):
            return what, fix
    head = data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head[:9].lower().startswith(_HTML_STARTS):
        return ("a web page, as a failed download leaves it", "download the file itself: open its address in a browser")
    if data.startswith(b"RIFF") and data[8:12] in _CONTAINERS:
        return _CONTAINERS[data[8:12]], "samples are given with --sample; MODEL is an .onnx file"
    if data[4:8] == b"ftyp":
        return "an MP4 or HEIF file: video, audio or picture", "samples are given with --sample; MODEL is an .onnx file"
    if data[4:8] == b"TFL3":
        return "a TensorFlow Lite model", "take the ONNX export of the model instead, for example with tf2onnx"
    if data[8:9] == b"{" and data[7:8] == b"\0":
        return "a safetensors file: weights without a graph", "export the model to ONNX first"
    if _is_text(data[:4096]):
        return "a text file", "pass the .onnx file that the exporter wrote"
    return None


def _is_text(head: bytes) -> bool:
    """Whether the bytes are ASCII text: at least 3, without the control characters that every ONNX file begins with."""
    return len(head) > 2 and all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in head)
