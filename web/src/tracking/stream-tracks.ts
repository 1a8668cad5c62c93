// The tracks of a stream: in their own worker, so that the page stays responsive, or on the page.

import type { Result } from "../api/types.js";
import { WorkerClient } from "../worker/worker-client.js";
import { ByteTracker } from "./byte-tracker.js";
import { FrameSize } from "./frame-size.js";
import { packSeen, seenIn } from "./seen.js";
import { TRACKING_WORKER, type TrackingAnswer, type TrackingRequest } from "./track-frames.js";
import { detectionsOf, type TrackSettings } from "./track-options.js";
import { writeIds } from "./write-ids.js";

export class StreamTracks {
  readonly #settings: TrackSettings;
  readonly #worker: WorkerClient<TrackingRequest, TrackingAnswer>;
  readonly #size = new FrameSize();
  /** Null while the worker has the tracks. */
  #inPage: ByteTracker | null = null;
  /** The highest id since the tracks began. */
  #highest = 0;
  #isEnded = false;

  /** Starts the worker; otherwise the first frame would wait for it. */
  constructor(settings: TrackSettings, start?: () => Worker) {
    this.#settings = settings;
    this.#worker = new WorkerClient(TRACKING_WORKER, start);
    void this.#worker.use((ask) => ask({ settings }));
  }

  /**
   * Takes the result of the next frame, and sets the id of each detection with a track. With `resets`, and
   * for a picture of another size, clears all tracks first. Throws "invalid-option" for a result without
   * boxes.
   */
  async update(result: Result, resets: boolean): Promise<void> {
    const detections = detectionsOf(result);
    const begins = this.#size.changesTo(result) || resets;
    if (begins) this.#highest = 0;
    const seen = seenIn(detections);
    const inWorker = await this.#worker.use((ask) => {
      const packed = packSeen(seen);
      return ask({ begins, count: detections.length, seen: packed }, [packed.buffer]);
    });
    if (this.#isEnded) return;
    const ids = inWorker ?? this.#trackerInPage(begins).updateSeen(seen, detections.length);
    writeIds(detections, ids);
    for (const id of ids) this.#highest = Math.max(this.#highest, id ?? 0);
  }

  /** Clears the tracks and stops the worker, even during a frame, which then gets no ids. */
  end(): void {
    this.#isEnded = true;
    this.#worker.end();
  }

  /**
   * Returns the page's tracker. The tracks of a terminated worker are lost: new ids begin above all earlier
   * ones.
   */
  #trackerInPage(begins: boolean): ByteTracker {
    this.#inPage ??= new ByteTracker(this.#settings, this.#highest);
    if (begins) this.#inPage.reset();
    return this.#inPage;
  }
}
