"""Backgrounds: each function paints a place over the whole canvas and returns the height of its horizon."""

from collections.abc import Callable

from models.people.ink import Canvas
from models.people.look import Random
from models.people.places.backcloth import pattern, plain
from models.people.places.beach import beach
from models.people.places.court import court
from models.people.places.park import park
from models.people.places.room import room
from models.people.places.street import street

Place = Callable[[Canvas, float, float, Random], float]
ALL: list[Place] = [park, street, room, beach, plain, pattern, court]

__all__ = [
    "ALL",
    "Place",
    "beach",
    "court",
    "park",
    "pattern",
    "plain",
    "room",
    "street",
]
