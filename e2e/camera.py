"""A fake camera that shows an image."""

from __future__ import annotations

CAMERA = """async (address) => {
  const picture = await createImageBitmap(await (await fetch(address)).blob());
  const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
  const draw = () => canvas.getContext("2d").drawImage(picture, 0, 0);
  draw();
  setInterval(draw, 50);
  globalThis.track = canvas.captureStream().getVideoTracks()[0];
  navigator.mediaDevices.getUserMedia = async () => new MediaStream([track]);
}"""
"""Replaces the page's camera with one that shows the image at an address; `track` is its track."""
