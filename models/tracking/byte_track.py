"""ByteTrack (Zhang et al., arXiv 2110.06864) as published, in numpy and scipy.

One difference: objects of different classes are never matched. A detection is
`[cx, cy, width, height, angle, score, class]`; `angle` is NaN for upright boxes. Rotated ones overlap by ProbIoU where
their upright boxes overlap at all, as in Ultralytics.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from models.tracking import kalman
from models.tracking.kalman import Array
from models.tracking.overlap import overlaps

HIGH, LOW, NEW, MATCH, KEEP = 0.5, 0.1, 0.6, 0.8, 30
"""`track_thresh`, the low one, `det_thresh`, `match_thresh` (a cost) and `track_buffer`.

The authors' code, and supervision's, take a lost track off their lists a frame after its time is over.
"""


@dataclass(eq=False)
class Track:
    """An object through the frames."""

    id: int
    begun: int
    seen: int
    row: int
    confirmed: bool
    kind: float
    angle: float
    mean: Array
    covariance: Array
    lost: bool = False

    @property
    def box(self) -> Array:
        """Where it is expected, [5]."""
        x, y, aspect, height = self.mean[:4]
        return np.array([x, y, aspect * height, height, self.angle])


@dataclass
class ByteTrack:
    """Tracks of the frames so far."""

    tracks: list[Track] = field(default_factory=list)
    frame: int = 0
    made: int = 0

    def update(self, found: Array) -> list[int]:
        """The id of each detection of the next frame, -1 for those that no track has. `found`: [N, 7]."""
        self.frame += 1
        scores = found[:, 5]
        high, low = np.flatnonzero(scores >= HIGH), np.flatnonzero((scores >= LOW) & (scores < HIGH))
        pool = [track for track in self.tracks if track.confirmed]
        for track in pool:
            track.mean[7] *= not track.lost
            track.mean, track.covariance = kalman.predict(track.mean, track.covariance)
        left, high = self._match(pool, found, high, MATCH, fuse=True)
        left, low = self._match([track for track in left if not track.lost], found, low, 0.5, fuse=False)
        for track in left:
            track.lost = True
        young = [track for track in self.tracks if not track.confirmed]
        removed, high = self._match(young, found, high, 0.7, fuse=True)
        self.tracks = [track for track in self.tracks if track not in removed]
        self.tracks += [self._begin(found[row], int(row)) for row in high if scores[row] >= NEW]
        self.tracks = distinct([track for track in self.tracks if self.frame - track.seen <= KEEP + 1])
        ids = {track.row: track.id for track in self.tracks if track.confirmed and track.seen == self.frame}
        return [ids.get(row, -1) for row in range(len(found))]

    def _begin(self, one: Array, row: int) -> Track:
        self.made += 1
        mean, covariance = kalman.start(measured(one))
        return Track(self.made, self.frame, self.frame, row, self.frame == 1, one[6], one[4], mean, covariance)

    def _match(
        self, tracks: list[Track], found: Array, rows: Array, limit: float, *, fuse: bool
    ) -> tuple[list[Track], Array]:
        """Matches at least cost; returns the tracks and the rows that are left."""
        n, m = len(tracks), len(rows)
        iou = overlaps([track.box for track in tracks], found[rows, :5])
        cost = 1 - iou * (found[rows, 5] if fuse else 1)
        kinds = np.array([track.kind for track in tracks]).reshape(n, 1)
        cost[kinds != found[rows, 6]] = 2
        whole = np.full((n + m, n + m), limit / 2)  # as lap.lapjv(extend_cost=True, cost_limit=limit)
        whole[n:, m:] = 0
        whole[:n, :m] = cost
        pairs = [(a, b) for a, b in zip(*linear_sum_assignment(whole), strict=True) if a < n and b < m]
        for a, b in pairs:
            self._see(tracks[a], found[rows[b]], int(rows[b]))
        matched = {a for a, _ in pairs}, {b for _, b in pairs}
        return [track for a, track in enumerate(tracks) if a not in matched[0]], np.array(
            [row for b, row in enumerate(rows) if b not in matched[1]], dtype=int
        )

    def _see(self, track: Track, one: Array, row: int) -> None:
        if not np.isnan(one[4]):
            one, quarters = one.copy(), round((track.angle - one[4]) / (np.pi / 2))
            if quarters % 2:
                one[[2, 3]] = one[[3, 2]]
            one[4] += quarters * np.pi / 2
        track.mean, track.covariance = kalman.correct(track.mean, track.covariance, measured(one))
        track.angle, track.seen, track.row, track.confirmed, track.lost = one[4], self.frame, row, True, False


def measured(one: Array) -> Array:
    """Centre x, centre y, width / height, height."""
    return np.array([one[0], one[1], one[2] / one[3], one[3]])


def distinct(tracks: list[Track]) -> list[Track]:
    """The tracks without the younger of each lost one and another that are nearly the same."""
    lost, others = [t for t in tracks if t.lost], [t for t in tracks if not t.lost]
    same = 1 - overlaps([t.box for t in lost], np.array([t.box for t in others]).reshape(-1, 5)) < 0.15
    dropped = set()
    for a, b in zip(*np.nonzero(same), strict=True):
        one, other = lost[a], others[b]
        if one.kind == other.kind:
            dropped.add(one if other.seen - other.begun > one.seen - one.begun else other)
    return [track for track in tracks if track not in dropped]
