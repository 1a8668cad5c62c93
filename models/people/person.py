"""One person drawn somewhere on a canvas, with their key points."""

from dataclasses import dataclass
from math import atan2, cos, degrees
from typing import Any

import numpy as np
import skia

from models.people import body, head
from models.people.figure import KEYPOINTS, Joints, Pose, joints
from models.people.ink import Canvas, darker, ellipse, paint, taper
from models.people.look import Look

Keypoints = np.ndarray[Any, np.dtype[np.float64]]
OCCLUDED, VISIBLE = 1, 2


@dataclass(frozen=True)
class Person:
    """A person in a pose, standing at (x, y) of the picture, `height` pixels tall when upright."""

    look: Look
    pose: Pose
    x: float
    y: float
    height: float


def head_part(look: Look, pose: Pose, at: Joints) -> body.Part:
    """The head and the neck below it."""
    size = look.build.head
    turn = pose.turn + pose.look
    upright = at["head"][:2] - at["neck"][:2]
    lying = degrees(atan2(float(upright[0]), -float(upright[1])))
    if np.hypot(*upright) < size * 0.5:
        lying = 0.0
    nod = pose.nod + 0.55 * pose.lean * max(cos(turn), 0.0)
    neck = taper(at["neck"][:2] * 0.97, at["head"][:2], 0.032, 0.028)

    def draw(canvas: Canvas) -> None:
        canvas.drawPath(neck, paint(darker(look.skin, 0.14)))
        canvas.save()
        canvas.translate(*map(float, at["head"][:2]))
        canvas.rotate(lying)
        canvas.scale(size, size)
        head.draw(canvas, look, turn, nod)
        canvas.restore()

    outline = ellipse(at["head"][:2], size * 0.9, size * 1.05)
    depth = float(at["head"][2]) + 0.012
    return body.Part(depth, outline, draw, frozenset(KEYPOINTS[:5]))


def face_points(look: Look, pose: Pose, at: Joints) -> dict[str, tuple[np.ndarray[Any, Any], bool]]:
    """Return the positions of nose, eyes and ears, and whether each faces the viewer."""
    upright = at["head"][:2] - at["neck"][:2]
    length = float(np.hypot(*upright))
    down = -upright / length if length >= look.build.head * 0.5 else np.array([0.0, 1.0])
    right = np.array([down[1], -down[0]])
    turn = pose.turn + pose.look
    nod = pose.nod + 0.55 * pose.lean * max(cos(turn), 0.0)
    placed = {}
    for name, (x, y, depth) in head.features(turn, nod).items():
        covered = "ear" in name and look.hairstyle in ("long", "bob", "curls", "scarf")
        point = at["head"][:2] + (right * x + down * y) * look.build.head
        placed[name] = point, depth > (-0.2 if "ear" in name else 0.0) and not covered
    return placed


def parts(look: Look, pose: Pose, at: Joints) -> list[body.Part]:
    """Return every part, the farthest first."""
    pieces = [body.trunk(look, pose, at), head_part(look, pose, at)]
    pieces += [body.arm(look, at, name) for name in ("left", "right")]
    pieces += [body.leg(look, at, name) for name in ("left", "right")]
    if look.backpack:
        pieces.append(body.backpack(look, pose, at))
    return sorted(pieces, key=lambda part: part.depth)


def draw(canvas: Canvas, person: Person) -> Keypoints:
    """Draw `person` and return [17, 3] key points: x, y in pixels, and 2 visible or 1 occluded."""
    look, pose = person.look, person.pose
    at = joints(look.build, pose)
    floor = ground(at) + pose.lift
    pieces = parts(look, pose, at)
    canvas.save()
    stand(canvas, person, floor)
    for piece in pieces:
        piece.draw(canvas)
    canvas.restore()
    placed = {name: (at[name][:2], True) for name in KEYPOINTS[5:]}
    placed |= face_points(look, pose, at)
    points = np.zeros((17, 3))
    for index, name in enumerate(KEYPOINTS):
        point, facing = placed[name]
        free = facing and not hidden(pieces, name, point)
        points[index, :2] = (point - (0, floor)) * person.height + (person.x, person.y)
        points[index, 2] = VISIBLE if free else OCCLUDED
    return points


def stand(canvas: Canvas, person: Person, floor: float) -> None:
    """Set the canvas to body heights, with the origin in the middle of the hips, `floor` above the ground."""
    canvas.translate(person.x, person.y)
    canvas.scale(person.height, person.height)
    canvas.translate(0, -floor)


def ground(at: Joints) -> float:
    """Return the distance from the middle of the hips down to the floor, in body heights."""
    return max(float(at[name][1]) for name in at) + 0.022


def hidden(pieces: list[body.Part], name: str, point: np.ndarray[Any, Any]) -> bool:
    """Whether a part nearer to the viewer covers the joint."""
    own = max(index for index, piece in enumerate(pieces) if name in piece.joints)
    over = pieces[own + 1 :]
    return any(piece.outline.contains(float(point[0]), float(point[1])) for piece in over)


def layer(person: Person, width: int, height: int) -> tuple[Any, Keypoints]:
    """Return `person` alone on a transparent picture of `width` x `height`, and the key points."""
    surface = skia.Surface(width, height)
    points = draw(surface.getCanvas(), person)
    return surface.makeImageSnapshot(), points


def layers_of_parts(person: Person, width: int, height: int) -> list[Any]:
    """Return each part of `person` on its own transparent picture, the farthest first."""
    at = joints(person.look.build, person.pose)
    pictures = []
    for piece in parts(person.look, person.pose, at):
        surface = skia.Surface(width, height)
        canvas = surface.getCanvas()
        stand(canvas, person, ground(at) + person.pose.lift)
        piece.draw(canvas)
        pictures.append(surface.makeImageSnapshot())
    return pictures
