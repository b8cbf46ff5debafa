"""Random steps of warps for laws of the simulations of thread blocks; hypothesis shrinks failing ones to a few
lines."""

from __future__ import annotations

from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr

from interp.tile.work import Loop, Step, Steps, When

CYCLES = st.integers(1, 12).map(lambda quarters: quarters / 4)
BYTES = st.integers(1, 4).map(lambda lines: 128.0 * lines)
LINES = st.integers(1, 12).map(lambda quarters: quarters / 4)
SIMPLE = st.one_of(
    st.builds(Step, st.just("shared"), CYCLES),
    st.builds(Step, st.just("multiply"), CYCLES, st.sampled_from((1, 2, 4)), st.integers(0, 2)),
    st.builds(Step, st.just("lanes"), CYCLES),
    st.builds(Step, st.just("prefetch"), BYTES, LINES),
    st.builds(Step, st.just("fetch"), BYTES, LINES),
    st.builds(Step, st.just("store"), BYTES, LINES),
    st.just(Step("commit")),
    st.builds(Step, st.just("wait"), st.integers(0, 2)),
    st.just(Step("barrier")),
)


@st.composite
def conditions(draw: st.DrawFn, at: AffineExpr) -> AffineExpr:
    """An affine expression of a loop's counter `at`, as the condition of a `When`: 0 in every n-th iteration, in a run
    of consecutive iterations, in a mix of the two, or never."""
    every = (at + draw(st.integers(0, 2))) % draw(st.integers(1, 3))
    once = (at - draw(st.integers(0, 9))) // draw(st.integers(3, 40))
    return draw(st.sampled_from((every, once, every + once, (at + 1) - (at // 3) * 3)))


@st.composite
def steps(draw: st.DrawFn, depth: int = 0, iterations: int = 60) -> Steps:
    """Random steps with loops and conditions, nested at most three deep."""
    found = list[Step | Loop | When]()
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("step", "step", "step", "loop", "when"))) if depth < 3 else "step"
        if kind == "loop":
            count = draw(st.integers(1, iterations))
            body = draw(steps(depth=depth + 1, iterations=min(4, iterations)))
            found.append(Loop(count, body, draw(st.integers(0, 1))))
        elif kind == "when" and depth:
            at = AffineExpr.dimension(draw(st.integers(0, depth - 1)))
            body = tuple(draw(st.lists(SIMPLE, min_size=1, max_size=2)))
            found.append(When(draw(conditions(at)), body))
        else:
            found.append(draw(SIMPLE))
    return tuple(found)


WHOLE = st.integers(1, 9).map(float)
WHOLE_STEPS = st.one_of(
    st.builds(Step, st.just("shared"), WHOLE),
    st.tuples(st.integers(1, 9), st.sampled_from((1, 2, 4)), st.integers(0, 2)).map(
        lambda each: Step("multiply", float(each[0] * each[1]), each[1], each[2])
    ),
    st.builds(Step, st.just("lanes"), WHOLE),
    *(st.builds(Step, st.just(kind), BYTES, WHOLE) for kind in ("load", "prefetch", "fetch", "store")),
    st.builds(Step, st.just("bring"), BYTES, WHOLE, stored=WHOLE),
    st.just(Step("commit")),
    st.builds(Step, st.just("wait"), st.integers(0, 2)),
    st.just(Step("barrier")),
)
APART = Step("commit")
"""A step between two requests that would otherwise form one."""


@st.composite
def whole_steps(draw: st.DrawFn, depth: int = 0) -> Steps:
    """Random steps of integer cycles, with loops and conditions; only adjacent requests in one body form one
    request."""
    found = list[Step | Loop | When]()
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("step", "step", "copy", "loop", "when"))) if depth < 3 else "step"
        if kind == "loop":
            body = (APART, *draw(whole_steps(depth=depth + 1)), APART)
            found.append(Loop(draw(st.integers(1, 12 if depth == 0 else 3)), body, draw(st.integers(0, 1))))
        elif kind == "when" and depth:
            at = AffineExpr.dimension(draw(st.integers(0, depth - 1)))
            found += [When(draw(conditions(at)), (draw(WHOLE_STEPS),)), APART]
        elif kind == "copy":
            copy = Step("prefetch", draw(BYTES), draw(WHOLE))
            found += [copy, Step("commit"), Step("wait", draw(st.integers(0, 2)))]
        else:
            step = draw(WHOLE_STEPS)
            before = found[-1] if found else None
            if step.kind == "shared" and isinstance(before, Step) and before.kind == "load":
                found.append(APART)
            found.append(step)
    return tuple(found)
