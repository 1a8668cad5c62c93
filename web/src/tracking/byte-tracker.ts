// ByteTrack (Zhang et al., arXiv 2110.06864): matches detections with high scores first, then low ones.

import type { Detection } from "../api/types.js";
import { assign } from "./assignment.js";
import { candidates } from "./candidates.js";
import { type Seen, seenIn } from "./seen.js";
import { Track } from "./track.js";
import type { TrackSettings } from "./track-options.js";

/** The minimum IoU with a track: for a detection with a low score, and for one that confirms a track. */
const LOW_IOU = 0.5;
const CONFIRM_IOU = 0.3;
/** Of a lost and another track that overlap more than this, the one with the longer history is kept. */
const SAME_IOU = 0.85;

/** Like ByteTrack's code and supervision's, removes a lost track one frame after `keepFrames`. */
const LATE = 1;

interface Matched {
  tracks: Track[];
  seen: Seen[];
}

export class ByteTracker {
  readonly #settings: TrackSettings;
  #tracks: Track[] = [];
  #frame = 0;
  #made: number;

  /** The first id is `last` + 1. */
  constructor(settings: TrackSettings, last = 0) {
    this.#settings = settings;
    this.#made = last;
  }

  /** Clears all tracks: the next frame is the first, and ids begin at 1. */
  reset(): void {
    this.#tracks = [];
    this.#frame = 0;
    this.#made = 0;
  }

  /** Returns the id of each detection of the next frame, null for detections without a track. */
  update(detections: readonly Detection[]): (number | null)[] {
    return this.updateSeen(seenIn(detections), detections.length);
  }

  /** Like update(), from the usable ones of `count` detections. */
  updateSeen(seen: readonly Seen[], count: number): (number | null)[] {
    this.#frame++;
    const { highScore, lowScore, newScore, matchIou, keepFrames } = this.#settings;
    const high = seen.filter(({ score }) => score >= highScore);
    const low = seen.filter(({ score }) => score >= lowScore && score < highScore);
    const confirmed = this.#tracks.filter((track) => track.confirmed);
    for (const track of confirmed) track.predict();

    const first = this.#match(confirmed, high, matchIou, true);
    const second = this.#match(
      first.tracks.filter(({ lost }) => !lost),
      low,
      LOW_IOU,
      false,
    );
    for (const track of second.tracks) track.lost = true;
    const third = this.#match(
      this.#tracks.filter((track) => !track.confirmed),
      first.seen,
      CONFIRM_IOU,
      true,
    );
    const dropped = new Set(third.tracks);
    const begun = third.seen
      .filter(({ score }) => score >= newScore)
      .map((each) => new Track(++this.#made, this.#frame, each));
    const kept = [...this.#tracks, ...begun].filter(
      (track) => !dropped.has(track) && this.#frame - track.frame <= keepFrames + LATE,
    );
    this.#tracks = withoutSame(kept);
    return this.#ids(count);
  }

  /**
   * Matches at minimum cost, and returns the unmatched rest of both. `scored`: the overlap is multiplied by
   * the score.
   */
  #match(tracks: readonly Track[], seen: readonly Seen[], least: number, scored: boolean): Matched {
    const limit = 1 - least;
    const rows = candidates(tracks, seen, limit, (overlap, column) =>
      scored ? 1 - overlap * (seen[column]?.score ?? 0) : 1 - overlap,
    );
    const { columns } = assign(rows, seen.length, limit);
    const taken = new Set<number>(columns);
    tracks.forEach((track, row) => {
      const found = seen[columns[row] ?? -1];
      if (found !== undefined) track.match(this.#frame, found);
    });
    return {
      tracks: tracks.filter((_, row) => columns[row] === -1),
      seen: seen.filter((_, column) => !taken.has(column)),
    };
  }

  #ids(count: number): (number | null)[] {
    const ids = new Array<number | null>(count).fill(null);
    for (const { id, confirmed, frame, index } of this.#tracks)
      if (confirmed && frame === this.#frame) ids[index] = id;
    return ids;
  }
}

/** Removes duplicates: of a lost track and another one that overlap, the younger. */
function withoutSame(tracks: readonly Track[]): Track[] {
  const found = tracks.filter(({ lost }) => !lost);
  const lost = tracks.filter((track) => track.lost);
  const dropped = new Set<Track>();
  candidates(lost, found, 1 - SAME_IOU, (overlap) => 1 - overlap).forEach((row, index) => {
    const one = lost[index];
    for (const { column } of row) {
      const other = found[column];
      if (one === undefined || other === undefined) continue;
      dropped.add(other.frame - other.begun > one.frame - one.begun ? one : other);
    }
  });
  return tracks.filter((track) => !dropped.has(track));
}
