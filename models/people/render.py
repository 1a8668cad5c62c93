"""Paint a scene and compute everybody's visible pixels."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import skia

from models.people.figure import joints
from models.people.ink import Canvas, box, ellipse, paint, solid
from models.people.look import CLOTHES, jitter, pick
from models.people.person import OCCLUDED, Person, ground, layer
from models.people.scene import Array, Label, Pixels, Scene, Thing

Mask = np.ndarray[Any, np.dtype[np.bool_]]
SEEN_SHARE = 0.18  # people with a smaller visible share are not in the labels
SEEN_PIXELS = 30


@dataclass(frozen=True)
class Traced:
    """A person or thing during painting: its visible mask, a person's key points, its total number of pixels."""

    actor: Person | Thing
    mask: Mask
    keypoints: Array | None
    whole: int

    def behind(self, cover: Mask) -> "Traced":
        """The same actor with `cover` painted over."""
        hidden = None if self.keypoints is None else hide(self.keypoints, cover)
        return Traced(self.actor, self.mask & ~cover, hidden, self.whole)

    def shows(self) -> bool:
        """Whether enough is visible for a label."""
        return int(self.mask.sum()) >= max(SEEN_SHARE * self.whole, SEEN_PIXELS)


def render(scene: Scene) -> tuple[Pixels, list[Label]]:
    """Paint a scene: RGB [height, width, 3] and the labels of the visible people."""
    image, actors = traced(scene)
    labels = [
        Label(extent(one.mask), float(one.mask.sum()), inside(one.keypoints, scene))
        for one in actors
        if one.keypoints is not None and one.shows()
    ]
    return image, labels


def traced(scene: Scene) -> tuple[Pixels, list[Traced]]:
    """Paint a scene: RGB [height, width, 3] and the visible masks of all actors, the farthest first."""
    surface = skia.Surface(scene.width, scene.height)
    canvas = surface.getCanvas()
    scene.place(canvas, scene.width, scene.height, np.random.default_rng(scene.seed))
    actors: list[Traced] = []
    for actor in scene.actors:
        shadow(canvas, actor)
        if isinstance(actor, Person) and actor.pose.seat:
            seat(canvas, actor)
        image, points = alone(scene, actor)
        canvas.drawImage(image, 0, 0)
        cover: Mask = pixels(image)[..., 3] > 127
        actors = [one.behind(cover) for one in actors]
        actors.append(Traced(actor, cover, points, int(cover.sum())))
    return pixels(surface.makeImageSnapshot())[..., :3], actors


def alone(scene: Scene, actor: Person | Thing) -> tuple[Any, Array | None]:
    """One actor on a transparent picture, and the key points of a person."""
    if isinstance(actor, Person):
        return layer(actor, scene.width, scene.height)
    surface = skia.Surface(scene.width, scene.height)
    canvas = surface.getCanvas()
    canvas.translate(actor.x, actor.y)
    canvas.scale(actor.height, actor.height)
    actor.draw(canvas, np.random.default_rng(actor.seed))
    return surface.makeImageSnapshot(), None


def pixels(image: Any) -> Pixels:
    """A Skia image as [height, width, 4] RGBA, premultiplied."""
    return np.array(image.toarray(colorType=skia.kRGBA_8888_ColorType), dtype=np.uint8)


def shadow(canvas: Canvas, actor: Person | Thing) -> None:
    """A soft patch on the ground."""
    half = actor.height * (0.16 if isinstance(actor, Person) else 0.2)
    canvas.drawPath(ellipse((actor.x, actor.y), half, half * 0.2), paint((30, 26, 56), 0.2))


def seat(canvas: Canvas, actor: Person) -> None:
    """Something for a sitting person to sit on."""
    rng = np.random.default_rng(round(actor.x * 7 + actor.y))
    at = joints(actor.look.build, actor.pose)
    high = (ground(at) - 0.045) * actor.height
    half = (0.13 + 0.05 * rng.random()) * actor.height
    color = jitter(rng, pick(rng, [*CLOTHES, (150, 108, 78), (190, 150, 110)]))
    shape = box(actor.x - half, actor.y - high, actor.x + half, actor.y, 0.02 * actor.height)
    solid(canvas, shape, color, 0.03 * actor.height)


def hide(points: Array, cover: Mask) -> Array:
    """Return the key points, with those under `cover` marked as occluded."""
    height, width = cover.shape
    hidden = points.copy()
    for index, (x, y, _) in enumerate(points):
        if 0 <= x < width and 0 <= y < height and cover[int(y), int(x)]:
            hidden[index, 2] = OCCLUDED
    return hidden


def inside(points: Array, scene: Scene) -> Array:
    """Return the key points, with those outside the picture set to zero."""
    x, y = points[:, 0], points[:, 1]
    within = (x >= 0) & (x < scene.width) & (y >= 0) & (y < scene.height)
    return np.where(within[:, None], points, 0.0)


def extent(mask: Mask) -> Array:
    """Box x1 y1 x2 y2 around a mask."""
    rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return np.array([columns[0], rows[0], columns[-1] + 1, rows[-1] + 1], dtype=float)


def cutout(person: Person, width: int, height: int) -> Pixels:
    """Return one person on a transparent background: RGBA [height, width, 4], not premultiplied."""
    image, _ = layer(person, width, height)
    painted = pixels(image).astype(np.float64)
    alpha = painted[..., 3:]
    colors = painted[..., :3] * 255 / np.maximum(alpha, 1)
    return np.concatenate([colors, alpha], 2).round().clip(0, 255).astype(np.uint8)
