// The camera: a stream that returns one frame per call, so that frames never queue.

import { PageError } from "../shell/failure-card.js";

export type Facing = "user" | "environment";

export class Camera {
  readonly #video: HTMLVideoElement;
  #stream: MediaStream | null = null;

  constructor(video: HTMLVideoElement) {
    this.#video = video;
  }

  get on(): boolean {
    return this.#stream !== null;
  }

  /** Whether frames are shown mirrored: for a camera that faces the visitor, or does not report its direction (a webcam). */
  get mirrored(): boolean {
    return this.#stream?.getVideoTracks()[0]?.getSettings().facingMode !== "environment";
  }

  async start(facing: Facing, onLost: () => void): Promise<void> {
    this.stop();
    const stream = await openStream(facing);
    this.stop();
    this.#stream = stream;
    stream.getVideoTracks()[0]?.addEventListener("ended", onLost);
    this.#video.srcObject = stream;
    await this.#video.play();
  }

  stop(): void {
    for (const track of this.#stream?.getTracks() ?? []) track.stop();
    this.#stream = null;
    this.#video.srcObject = null;
  }

  /** Returns the camera's next frame, or null if it was stopped meanwhile. */
  async frame(): Promise<ImageBitmap | null> {
    const stream = this.#stream;
    await nextFrame(this.#video);
    if (stream === null || stream !== this.#stream || this.#video.videoWidth === 0) return null;
    return createImageBitmap(this.#video);
  }
}

export async function hasTwoCameras(): Promise<boolean> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.filter(({ kind }) => kind === "videoinput").length > 1;
}

function nextFrame(video: HTMLVideoElement): Promise<void> {
  return new Promise((resolve) => {
    if ("requestVideoFrameCallback" in video) video.requestVideoFrameCallback(() => resolve());
    else requestAnimationFrame(() => resolve());
  });
}

async function openStream(facing: Facing): Promise<MediaStream> {
  if (!window.isSecureContext || !navigator.mediaDevices) {
    throw new PageError(
      "camera-insecure",
      "Browsers give pages a camera only over a secure connection.",
      "Open this page over https, or on localhost.",
    );
  }
  const video = { facingMode: facing, width: { ideal: 1280 }, height: { ideal: 720 } };
  return navigator.mediaDevices.getUserMedia({ video, audio: false }).catch((error: unknown) => {
    throw cameraError(error);
  });
}

function cameraError(error: unknown): PageError {
  const name = error instanceof DOMException ? error.name : "";
  if (name === "NotAllowedError") {
    return new PageError(
      "camera-refused",
      "The camera was not allowed.",
      "Allow the camera for this page in the browser's address bar, then start it again.",
    );
  }
  if (name === "NotFoundError" || name === "OverconstrainedError") {
    return new PageError(
      "camera-missing",
      "No camera was found.",
      "Connect one, or choose a picture instead.",
    );
  }
  return new PageError(
    "camera-busy",
    "The camera did not start.",
    "Close other programs that use it, then start it again.",
  );
}
