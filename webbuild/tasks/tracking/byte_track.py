"""ByteTrack (Zhang et al., arXiv 2110.06864), as published: the reference for the runtime's tracker.

One difference: objects of different classes are never matched. The overlap of rotated boxes is their ProbIoU, or 0 if
their axis-aligned boxes do not overlap, as in Ultralytics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from webbuild.tasks.decoding.boxes import enclosing_boxes, iou_matrix
from webbuild.tasks.decoding.rotated_boxes import probiou_matrix, row_corners
from webbuild.tasks.tracking import kalman
from webbuild.tasks.tracking.assignment import assign

Array = NDArray[np.float64]
Rows = NDArray[np.intp]

HIGH, LOW, NEW, MATCH, KEEP = 0.5, 0.1, 0.6, 0.8, 30
"""`track_thresh`, the low threshold, `det_thresh`, `match_thresh` (a cost) and `track_buffer`.

The authors' code and supervision remove a lost track one frame after `track_buffer` frames.
"""


@dataclass(eq=False)
class Track:
    """An object tracked across frames."""

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
        """The predicted box [5]: centre x, centre y, width, height, angle."""
        x, y, aspect, height = self.mean[:4]
        return np.array([x, y, aspect * height, height, self.angle])


@dataclass
class ByteTrack:
    """The tracks after the frames so far."""

    tracks: list[Track] = field(default_factory=list)
    frame: int = 0
    track_count: int = 0
    """Number of tracks so far, which is the newest track's id."""

    def update(self, detections: Array) -> list[int]:
        """Return the id of each detection of the next frame, -1 for detections without a track.

        A row of `detections` [n, 7] is centre x, centre y, width, height, angle, score, class; the angle of an
        axis-aligned box is NaN. A box without area has no track.
        """
        self.frame += 1
        usable = np.isfinite(detections[:, :4]).all(1) & (detections[:, 2:4] > 0).all(1) & ~np.isinf(detections[:, 4])
        scores = detections[:, 5]
        high, low = (
            np.flatnonzero(usable & (scores >= HIGH)),
            np.flatnonzero(usable & (scores >= LOW) & (scores < HIGH)),
        )
        pool = [track for track in self.tracks if track.confirmed]
        for track in pool:
            track.mean[7] *= not track.lost
            track.mean, track.covariance = kalman.predict(track.mean, track.covariance)
        left, high = self._match(pool, detections, high, MATCH, fuse=True)
        left, low = self._match([track for track in left if not track.lost], detections, low, 0.5, fuse=False)
        for track in left:
            track.lost = True
        young = [track for track in self.tracks if not track.confirmed]
        removed, high = self._match(young, detections, high, 0.7, fuse=True)
        self.tracks = [track for track in self.tracks if track not in removed]
        self.tracks += [self._begin(detections[row], int(row)) for row in high if scores[row] >= NEW]
        self.tracks = _distinct([track for track in self.tracks if self.frame - track.seen <= KEEP + 1])
        ids = {track.row: track.id for track in self.tracks if track.confirmed and track.seen == self.frame}
        return [ids.get(row, -1) for row in range(len(detections))]

    def _begin(self, one: Array, row: int) -> Track:
        self.track_count += 1
        mean, covariance = kalman.start(_measured(one))
        return Track(self.track_count, self.frame, self.frame, row, self.frame == 1, one[6], one[4], mean, covariance)

    def _match(
        self, tracks: list[Track], detections: Array, rows: Rows, limit: float, *, fuse: bool
    ) -> tuple[list[Track], Rows]:
        """Match at minimum cost; return the unmatched tracks and rows."""
        cost = 1 - _overlaps([track.box for track in tracks], detections[rows, :5]) * (
            detections[rows, 5] if fuse else 1
        )
        kinds = np.array([track.kind for track in tracks]).reshape(-1, 1)
        columns = assign(np.where(kinds == detections[rows, 6], cost, 2), limit)
        for track, column in zip(tracks, columns, strict=True):
            if column >= 0:
                self._see(track, detections[rows[column]], int(rows[column]))
        unmatched = [track for track, column in zip(tracks, columns, strict=True) if column < 0]
        return unmatched, np.delete(rows, [column for column in columns if column >= 0])

    def _see(self, track: Track, one: Array, row: int) -> None:
        if not np.isnan(one[4]):
            one, quarters = one.copy(), round((track.angle - one[4]) / (np.pi / 2))
            if quarters % 2:
                one[[2, 3]] = one[[3, 2]]
            one[4] += quarters * np.pi / 2
        track.mean, track.covariance = kalman.correct(track.mean, track.covariance, _measured(one))
        track.angle, track.seen, track.row, track.confirmed, track.lost = one[4], self.frame, row, True, False


def _overlaps(first: Sequence[Array], second: Array) -> Array:
    """Return the overlap [n, m] of boxes [n, 5] and [m, 5]: their IoU, or their ProbIoU if both are rotated."""
    one, other = np.asarray(first, np.float64).reshape(-1, 5), second.reshape(-1, 5)
    corners = [
        row_corners(np.c_[np.nan_to_num(each), np.zeros((len(each), 1)), np.nan_to_num(each[:, 4])])
        for each in (one, other)
    ]
    iou = iou_matrix(*(enclosing_boxes(each) for each in corners))
    rotated = np.maximum(probiou_matrix(*corners), 0)
    upright = np.isnan(one[:, 4])[:, None] | np.isnan(other[:, 4])
    return np.where(upright, iou, np.where(iou > 0, rotated, 0))


def _measured(one: Array) -> Array:
    """Return the Kalman filter's measurement [4] of a box: centre x, centre y, width / height, height."""
    return np.array([one[0], one[1], one[2] / one[3], one[3]])


def _distinct(tracks: list[Track]) -> list[Track]:
    """Return the tracks without duplicates: the younger of a lost and another track that nearly coincide goes."""
    lost, others = [t for t in tracks if t.lost], [t for t in tracks if not t.lost]
    same = 1 - _overlaps([t.box for t in lost], np.array([t.box for t in others])) < 0.15
    dropped = set()
    for a, b in zip(*np.nonzero(same), strict=True):
        one, other = lost[a], others[b]
        if one.kind == other.kind:
            dropped.add(one if other.seen - other.begun > one.seen - one.begun else other)
    return [track for track in tracks if track not in dropped]
