"""Things in scenes of people: each function draws one on the ground at (0, 0), y down.

The unit is the height of an adult at the same place.
"""

from collections.abc import Callable

from models.people.ink import Canvas
from models.people.look import Random
from models.people.things.animals import bird, dog
from models.people.things.furniture import bench, chair, floor_lamp, sofa, table
from models.people.things.loose import bags, ball, balloons, crate, parasol, snowman, sticks
from models.people.things.plants import bush, palm, potted_plant, tree
from models.people.things.traffic import bicycle, car, cone, lamp, sign

Thing = Callable[[Canvas, Random], None]
OUTDOORS: list[Thing] = [
    tree, tree, bush, bush, lamp, ball, sign, cone, bench, dog, dog, bird, car, bicycle, balloons,
    bags, crate, snowman,
]  # fmt: skip
INDOORS: list[Thing] = [
    floor_lamp, potted_plant, potted_plant, chair, table, sofa, crate, ball, dog, bags, balloons,
]  # fmt: skip
SEASIDE: list[Thing] = [palm, palm, parasol, parasol, ball, bird, dog, bags, chair, crate]
ANY: list[Thing] = [*OUTDOORS, *INDOORS, *SEASIDE, sticks, sticks, sticks, sticks]

__all__ = [
    "ANY",
    "INDOORS",
    "OUTDOORS",
    "SEASIDE",
    "Thing",
    "bags",
    "ball",
    "balloons",
    "bench",
    "bicycle",
    "bird",
    "bush",
    "car",
    "chair",
    "cone",
    "crate",
    "dog",
    "floor_lamp",
    "lamp",
    "palm",
    "parasol",
    "potted_plant",
    "sign",
    "snowman",
    "sofa",
    "sticks",
    "table",
    "tree",
]
