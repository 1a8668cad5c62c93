// ByteTrack (Zhang et al., arXiv 2110.06864): detections of high scores are matched first, then those of low scores.

import type { Detection } from "../api/types.js";
import { assign } from "./assignment.js";
import { candidates } from "./candidates.js";
import { type Seen, seenIn } from "./seen.js";
import { Track } from "./track.js";
import type { TrackSettings } from "./track-options.js";

/** The overlap that a track wants at least: of a detection of a low score, and of one that it is to be confirmed by. */
const LOW_IOU = 0.5;
const CONFIRM_IOU = 0.3;
/** Of a lost and another track that overlap more than this, the one that is seen for longer stays. */
const SAME_IOU = 0.85;

/** ByteTrack's own code, and supervision's, take a lost track off their lists a frame after its time is over. */
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

  /** Ids begin above `last`. */
  constructor(settings: TrackSettings, last = 0) {
    this.#settings = settings;
    this.#made = last;
  }

  /** Forgets all tracks: the next frame is the first, and ids begin at 1. */
  reset(): void {
    this.#tracks = [];
    this.#frame = 0;
    this.#made = 0;
  }

  /** Returns the id of each detection of the next frame, null for those that no track has. */
  update(detections: readonly Detection[]): (number | null)[] {
    return this.updateSeen(seenIn(detections), detections.length);
  }

  /** The same from what can be seen of so many detections. */
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

  /** Matches what costs least, and returns what is left of both; `scored`: an overlap counts as much as its score. */
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

/** Leaves out a lost track that is the same as one that is not lost, or that one if it is younger. */
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
