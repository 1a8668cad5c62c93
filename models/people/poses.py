"""Poses: each function samples one kind of pose, seen from the front."""

from collections.abc import Callable
from dataclasses import replace
from math import pi

import numpy as np

from models.people.figure import Limb, Pose

Random = np.random.Generator
UP, IN, OUT, BACK = (0.0, 1.0, 0.3), (-1.0, 0.2, 0.5), (1.0, 0.2, 0.0), (0.0, 0.0, -1.0)


def near(rng: Random, value: float, spread: float = 0.12) -> float:
    """A number near `value`."""
    return float(rng.normal(value, spread))


def hanging_arm(rng: Random) -> Limb:
    """An arm at the side."""
    return Limb(near(rng, 0.05, 0.15), abs(near(rng, 0.18)), abs(near(rng, 0.25, 0.2)))


def any_arm(rng: Random) -> Limb:
    """Return an arm in one of several typical poses."""
    kinds = [
        hanging_arm(rng),
        hanging_arm(rng),
        Limb(near(rng, -0.15), near(rng, 0.65), near(rng, 1.75), IN),  # hand on the hip
        Limb(0.0, near(rng, 1.45), near(rng, 1.5, 0.35), (0.2, 1.0, 0.2)),  # waving
        Limb(near(rng, 0.2), near(rng, 2.6), abs(near(rng, 0.3)), UP),  # raised
        Limb(near(rng, 1.4), near(rng, 0.15), abs(near(rng, 0.2))),  # pointing ahead
        Limb(near(rng, 0.1), near(rng, 1.5), abs(near(rng, 0.2)), UP),  # held out
        Limb(near(rng, 0.25), near(rng, 0.2), near(rng, 2.0, 0.2), (-0.25, 0.7, 1.0)),  # phone
        Limb(near(rng, 0.2), near(rng, 0.25), near(rng, 1.6), IN),  # across the chest
    ]
    return kinds[int(rng.integers(len(kinds)))]


def standing(rng: Random) -> Pose:
    """Upright, weight on both legs or one."""
    ease = abs(near(rng, 0.0, 0.12))
    legs = [Limb(near(rng, 0.0, 0.05), abs(near(rng, 0.07, 0.06)), ease), Limb(0, 0.06, 0.02)]
    first = int(rng.integers(2))
    return Pose(any_arm(rng), any_arm(rng), legs[first], legs[1 - first], near(rng, 0.02, 0.04))


def stride(rng: Random, reach: float, arms: float, lean: float, kick: float) -> Pose:
    """One leg ahead, the other behind, arms opposite."""
    ahead = near(rng, reach, 0.12)
    front, behind = (
        Limb(ahead, 0.03, abs(near(rng, kick * 0.35, 0.12))),
        Limb(-ahead * 0.85, 0.03, abs(near(rng, kick, 0.2))),
    )
    bend = near(rng, 0.3 + kick * 0.8)
    arm_front = Limb(arms, near(rng, 0.15, 0.06), bend)
    arm_behind = Limb(-arms, near(rng, 0.15, 0.06), bend)
    return Pose(arm_behind, arm_front, front, behind, near(rng, lean, 0.05))


def walking(rng: Random) -> Pose:
    """Walking, sometimes with one arm in another pose."""
    pose = stride(rng, 0.42, 0.4, 0.04, 0.35)
    return replace(pose, left_arm=any_arm(rng)) if rng.random() < 0.35 else pose


def running(rng: Random) -> Pose:
    """A run, knee up ahead and heel up behind."""
    pose = stride(rng, 0.8, 0.75, 0.22, 1.35)
    return replace(pose, lift=abs(near(rng, 0.02, 0.02)))


def jumping(rng: Random) -> Pose:
    """In the air, arms up, knees drawn or legs apart."""
    arm = Limb(near(rng, 0.2, 0.2), near(rng, 2.4, 0.3), abs(near(rng, 0.3)), UP)
    if rng.random() < 0.5:
        left, right = (Limb(0.1, near(rng, 0.5), abs(near(rng, 0.3))) for _ in range(2))
    else:
        left, right = (Limb(near(rng, 0.6, 0.3), 0.15, near(rng, 1.4, 0.3)) for _ in range(2))
    other = replace(arm, spread=near(rng, 2.4, 0.4))
    return Pose(arm, other, left, right, near(rng, 0.05), lift=0.05 + abs(near(rng, 0.08, 0.06)))


def cheering(rng: Random) -> Pose:
    """Both arms up."""
    arms = [Limb(near(rng, 0.1), near(rng, 2.5, 0.25), abs(near(rng, 0.45, 0.25)), UP) for _ in range(2)]
    return replace(standing(rng), left_arm=arms[0], right_arm=arms[1])


def sitting(rng: Random) -> Pose:
    """On a seat, thighs level, shins down."""
    left, right = (Limb(near(rng, 1.45, 0.08), abs(near(rng, 0.1, 0.08)), near(rng, 1.45, 0.15)) for _ in range(2))
    lap = Limb(near(rng, 0.45), 0.12, near(rng, 0.7, 0.2))
    arms = [lap if rng.random() < 0.55 else any_arm(rng) for _ in range(2)]
    return Pose(arms[0], arms[1], left, right, near(rng, 0.02, 0.08), seat=True)


def bending(rng: Random) -> Pose:
    """Bent over, reaching for the ground."""
    lean = near(rng, 1.2, 0.2)
    left, right = (Limb(near(rng, 0.15), 0.08, abs(near(rng, 0.25, 0.15))) for _ in range(2))
    reach = Limb(near(rng, lean * 1.05), 0.1, abs(near(rng, 0.15)))
    return Pose(reach, replace(reach, swing=near(rng, lean * 0.8)), left, right, lean)


def squatting(rng: Random) -> Pose:
    """Low, heels under the seat."""
    depth = near(rng, 1.5, 0.25)
    left, right = (Limb(depth, near(rng, 0.35), depth * 1.45) for _ in range(2))
    arm = Limb(near(rng, 1.5, 0.2), near(rng, 0.1), abs(near(rng, 0.3)))
    return Pose(arm, arm, left, right, near(rng, 0.5))


def lunging(rng: Random) -> Pose:
    """A warrior stance: legs wide, arms held out."""
    arm = Limb(near(rng, 0.0), near(rng, 1.55), abs(near(rng, 0.1)), UP)
    wide = Limb(0.0, near(rng, 0.6), 0.05)
    bent = Limb(near(rng, 0.2), near(rng, 0.95), near(rng, 1.0), (-1.0, -0.4, -0.3))
    return Pose(arm, arm, wide, bent)


def dancing(rng: Random) -> Pose:
    """Arms in random poses, one knee up."""
    up = Limb(near(rng, 0.9, 0.3), near(rng, 0.3), near(rng, 1.3, 0.3))
    down = Limb(near(rng, -0.05, 0.1), 0.06, abs(near(rng, 0.1)))
    return Pose(any_arm(rng), any_arm(rng), up, down, near(rng, 0.0, 0.12), near(rng, 0, 0.12))


def kicking(rng: Random) -> Pose:
    """One leg straight ahead."""
    leg = Limb(near(rng, 1.1, 0.25), 0.1, abs(near(rng, 0.2)))
    arms = [Limb(near(rng, -0.3, 0.3), near(rng, 0.8, 0.2), abs(near(rng, 0.5))) for _ in range(2)]
    return Pose(arms[0], arms[1], Limb(-0.1, 0.05, 0.15), leg, near(rng, -0.12, 0.06))


Sampler = Callable[[Random], Pose]
KINDS: list[tuple[Sampler, float]] = [
    (standing, 0.27), (walking, 0.18), (running, 0.1), (jumping, 0.07), (cheering, 0.07),
    (sitting, 0.1), (bending, 0.04), (squatting, 0.04), (lunging, 0.04), (dancing, 0.05),
    (kicking, 0.04),
]  # fmt: skip


def sideways_share(kind: Sampler) -> float:
    """Return how often a kind of pose is seen in profile."""
    return 0.65 if kind in (running, walking, bending, kicking) else 0.2


def sample(rng: Random, kind: Sampler | None = None) -> Pose:
    """Return a pose with a facing direction; `kind` is random if not given."""
    weights = np.array([weight for _, weight in KINDS])
    chosen = kind or KINDS[int(rng.choice(len(KINDS), p=weights / weights.sum()))][0]
    pose = chosen(rng)
    if rng.random() < sideways_share(chosen):
        turn = near(rng, 1.25, 0.25) * (1 if rng.random() < 0.5 else -1)
    else:
        turn = near(rng, 0.0, 0.45) + (pi if rng.random() < 0.15 else 0.0)
    mirrored = rng.random() < 0.5
    if mirrored:
        pose = replace(pose, left_arm=pose.right_arm, right_arm=pose.left_arm,
                       left_leg=pose.right_leg, right_leg=pose.left_leg)  # fmt: skip
    tilt = pose.tilt + near(rng, 0.0, 0.04)
    return replace(pose, turn=turn, tilt=tilt, look=near(rng, 0.0, 0.3), nod=near(rng, 0.03, 0.1))
