// The camera's buttons and its loop: it takes a frame only after the result of the previous frame.

import { isAbort, PageError } from "../shell/failure-card.js";
import { element, setIcon } from "../util/elements.js";
import { Camera, type Facing, hasTwoCameras } from "./camera.js";

export interface CameraFrame {
  bitmap: ImageBitmap;
  mirrored: boolean;
}

interface CameraEvents {
  onStart(): void;
  onFrame(frame: CameraFrame): Promise<void>;
  onStop(): void;
  onFailure(error: unknown): void;
}

export interface CameraParts {
  video: HTMLVideoElement;
  webcam: HTMLButtonElement;
  flip: HTMLButtonElement;
  /** Shows on the button whether the camera is on. */
  paint(on: boolean): void;
}

/** The elements of the page's template. */
export function cameraParts(): CameraParts {
  return {
    video: element("video", HTMLVideoElement),
    webcam: element("webcam", HTMLButtonElement),
    flip: element("flip", HTMLButtonElement),
    paint(on) {
      element("webcam-text", HTMLElement).textContent = on ? "Stop camera" : "Use camera";
      setIcon(element("webcam-icon", SVGUseElement), on ? "stop" : "camera");
    },
  };
}

export class CameraLoop {
  readonly #camera: Camera;
  readonly #button: HTMLButtonElement;
  readonly #flip: HTMLButtonElement;
  readonly #show: (on: boolean) => void;
  readonly #events: CameraEvents;
  #facing: Facing = "user";
  #wanted = false;
  /** Whether the camera has started. Until then the visitor may still be asked to allow it. */
  #on = false;
  /** Counts loops, to end one whose camera was stopped while it waited for a frame. */
  #turn = 0;

  constructor({ video, webcam, flip, paint }: CameraParts, events: CameraEvents) {
    this.#camera = new Camera(video);
    this.#button = webcam;
    this.#flip = flip;
    this.#show = paint;
    this.#events = events;
    this.#button.addEventListener("click", () => (this.#wanted ? this.stop() : this.start()));
    this.#flip.addEventListener("click", () => {
      this.#facing = this.#facing === "user" ? "environment" : "user";
      void this.start();
    });
  }

  get on(): boolean {
    return this.#on;
  }

  async start(): Promise<void> {
    const already = this.#camera.on;
    this.#paint(true);
    try {
      await this.#camera.start(this.#facing, () => this.#lose());
      const canFlip = await hasTwoCameras();
      if (!this.#wanted) return this.#camera.stop();
      this.#flip.hidden = !canFlip;
      this.#on = true;
      this.#events.onStart();
      if (!already) await this.#loop();
    } catch (error) {
      // Stopped or restarted while it was starting: not a failure.
      if (!this.#wanted || isAbort(error)) return;
      this.stop();
      this.#events.onFailure(error);
    }
  }

  stop(): void {
    if (!this.#wanted) return;
    this.#camera.stop();
    this.#paint(false);
    if (!this.#on) return;
    this.#on = false;
    this.#events.onStop();
  }

  /** Handles a camera that was disconnected. */
  #lose(): void {
    if (!this.#wanted) return;
    this.stop();
    const fix = "Connect it and start it again, or choose a picture instead.";
    this.#events.onFailure(new PageError("camera-lost", "The camera was disconnected.", fix));
  }

  async #loop(): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const goesOn = () => this.#wanted && turn === this.#turn;
    while (goesOn()) {
      const bitmap = await this.#camera.frame();
      if (bitmap && goesOn()) await this.#events.onFrame({ bitmap, mirrored: this.#camera.mirrored });
    }
  }

  #paint(on: boolean): void {
    this.#wanted = on;
    this.#show(on);
    if (!on) this.#flip.hidden = true;
  }
}
