"""What visitors meet: the first visit, runs one after another, and a second visit."""

from __future__ import annotations

from collections.abc import Sequence

from webbuild.bench.course import WARMING, Course
from webbuild.bench.report import Frames, Visit
from webbuild.bench.visitor import Arrived, Timed, Visitor
from webbuild.verify.page_calls import Page


class Visits:
    """What was measured, until something failed."""

    arrived: Arrived | None = None
    first: Visit | None = None
    second: Visit | None = None
    frames: Frames | None = None

    def go(self, page: Page, course: Course, backend: str) -> None:
        """Measure in a page of a profile that knows nothing of the bundle. Raises PageError."""
        course.say(f"{backend}: a first visit")
        visitor = Visitor(page, course.server, seconds=course.seconds)
        self.arrived, self.first = visit(visitor, course, backend)
        course.say(f"{backend}: {course.runs} runs")
        visitor.hold(course.samples)
        course.run(visitor, WARMING)
        self.frames = frames(course.run(visitor, course.runs), backend)
        visitor.dispose()
        course.say(f"{backend}: a second visit")
        again = Visitor(page, course.server, seconds=course.seconds)
        self.second = visit(again, course, backend)[1]
        again.dispose()


def visit(visitor: Visitor, course: Course, backend: str) -> tuple[Arrived, Visit]:
    """Come, load, and get an answer to the first sample."""
    before = course.sent.bytes
    arrived = visitor.load(course.bundle.entry, backend, course.precision)
    ran = visitor.first(course.samples[0])
    took = arrived.info.timings
    return arrived, Visit(
        bytes=course.sent.bytes - before,
        imported=arrived.imported,
        session=arrived.session,
        loaded=arrived.loaded,
        first_run=ran.ms,
        first_result=arrived.loaded + ran.ms,
        stages={"engine": took.engine, "weights": took.weights, "session": took.session, "warmup": took.warmup},
    )


def frames(runs: Sequence[Timed], backend: str) -> Frames:
    """Return runs as a report has them; a stage that only some runs have took no time in the others."""
    names = dict.fromkeys(name for run in runs for name in run.stages)
    return Frames(
        runs=tuple(run.ms for run in runs),
        stages={name: tuple(run.stages.get(name, 0.0) for run in runs) for name in names},
        repeated=sum(run.backend != backend for run in runs),
    )
