"""Steps of engines on times that can be added up in the head: a step takes 10 ns for each token of a prompt and 1 ns
for each sequence that decodes."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interp.machine.engine import Engine
from ndpir.serving.batching import Chunk, Load, Served, Spent, serve


class Counted:
    """10 ns a token of a prompt, 1 ns a sequence that decodes; 1 nJ a token. Keeps the chunks of all steps."""

    def __init__(self) -> None:
        self.chunks: list[tuple[int, list[Chunk]]] = []

    def decoding(self, sequences: int, context: float, steps: int) -> Spent:
        return Spent(1.0 * sequences * steps, 1.0 * sequences * steps)

    def with_prompts(self, sequences: int, context: float, chunks: Sequence[Chunk]) -> Spent:
        self.chunks.append((sequences, list(chunks)))
        tokens = sum(chunk.new for chunk in chunks)
        return Spent(10.0 * tokens + sequences, 1.0 * tokens + sequences)


def engine(tokens: int = 100, mixes: bool = False, sequences: int = 1000, **more: float) -> Engine:
    return Engine(name="e", kind="engine", description="", tokens=tokens, sequences=sequences, mixes=mixes, **more)  # pyright: ignore[reportArgumentType]


def served(load: Load, under: Engine, room: float = 1e9) -> tuple[Served, Counted]:
    times = Counted()
    return serve(load, under, times, room), times


def test_static_batch() -> None:
    """Two prompts of 8 in one step of 160 ns, then two steps of 2 ns: three tokens each."""
    found, times = served(Load(2, (8, 8), (3, 3), 2, together=True), engine())
    assert times.chunks == [(0, [Chunk(8, 0), Chunk(8, 0)])]
    assert found.first_ns == [160.0, 160.0]
    assert found.token_ns == [2.0, 2.0]
    assert (found.tokens, found.ns, found.nj, found.steps) == (6, 164.0, 16.0 + 4.0, 3)


def test_static_batch_waits_for_its_last_prompt() -> None:
    found, times = served(Load(2, (8, 8), (3, 3), 2, together=True), engine(tokens=8))
    assert times.chunks == [(0, [Chunk(8, 0)]), (0, [Chunk(8, 0)])]
    assert found.first_ns == [160.0, 160.0]
    assert found.token_ns == [2.0, 2.0]


def test_long_prompts_come_in_chunks() -> None:
    _, times = served(Load(1, (20, 20), (1, 1), 1), engine(tokens=8))
    assert times.chunks == [(0, [Chunk(8, 0)]), (0, [Chunk(8, 8)]), (0, [Chunk(4, 16)])]


def test_chunks_share_steps_with_sequences_that_decode() -> None:
    """The first request decodes while the second one's prompt is processed, in the 9 tokens that it leaves."""
    found, times = served(Load(2, (10, 10), (4, 4), 2), engine(tokens=10, mixes=True))
    assert times.chunks == [(0, [Chunk(10, 0)]), (1, [Chunk(9, 0)]), (1, [Chunk(1, 9)])]
    assert found.first_ns == [100.0, 100.0 + 91.0 + 11.0]
    assert found.token_ns == [(91.0 + 11.0 + 2.0) / 3, (2.0 + 1.0 + 1.0) / 3]


def test_prompts_go_first_without_mixing() -> None:
    found, _ = served(Load(2, (10, 10), (4, 4), 2), engine(tokens=10))
    assert found.first_ns == [100.0, 200.0]
    assert found.token_ns == [(100.0 + 3 * 2.0) / 3, 2.0]


def test_ended_requests_are_replaced() -> None:
    found, times = served(Load(1, (5, 5), (2, 2), 3), engine())
    assert times.chunks == [(0, [Chunk(5, 0)])] * 3
    assert found.first_ns == [50.0] * 3
    assert found.ns == 3 * 51.0


def test_requests_wait_for_room() -> None:
    """Caches for 14 tokens hold one request of 10 and 4."""
    found, _ = served(Load(2, (10, 10), (4, 4), 2), engine(), room=14.0)
    assert found.first_ns == [100.0, 203.0]


def test_requests_wait_for_a_place() -> None:
    found, _ = served(Load(2, (10, 10), (4, 4), 2), engine(sequences=1))
    assert found.first_ns == [100.0, 203.0]


def test_host_time() -> None:
    """7 ns a step, 5 more with prompts, 1 a sequence; kernels take twice their time; 3 ns a request."""
    under = engine(step_ns=7.0, prompts_ns=5.0, sequence_ns=1.0, kernels=2.0, request_ns=3.0)
    found, _ = served(Load(1, (5, 5), (2, 2), 1), under)
    assert found.first_ns == [100.0 + 7.0 + 5.0 + 1.0 + 3.0]
    assert found.token_ns == [2.0 + 7.0 + 1.0]
    assert found.host_ns == 13.0 + 8.0


LAST_OF_THREE = Load(2, (5, 5), (2, 40), 3, seed=3)
"""Answers of 33, 5 and 8 tokens. The second one ends at 108 ns, for which the client sends the third request."""


@pytest.mark.parametrize(("overlaps", "first"), [(False, 50.0), (True, 51.0)])
def test_a_step_that_is_formed_ahead_lacks_the_latest_request(overlaps: bool, first: float) -> None:
    """The step after 108 ns was formed at 106 ns, so that one step of 1 ns passes before the prompt's."""
    found, _ = served(LAST_OF_THREE, engine(tokens=5, overlaps=overlaps))
    assert found.first_ns[-1] == first


@pytest.mark.parametrize(("overlaps", "first"), [(False, 56.0), (True, 57.0)])
def test_decoding_goes_on_until_a_request_arrives(overlaps: bool, first: float) -> None:
    """The third request arrives 5.5 ns after it was sent, within the sixth step of the sequence that decodes on."""
    found, _ = served(LAST_OF_THREE, engine(tokens=5, overlaps=overlaps, request_ns=5.5))
    assert found.first_ns[-1] == first


def test_requests_take_time_to_arrive() -> None:
    """The first prompt begins after 30 ns; the one that replaces it is sent at 82 ns, and begins at 112 ns."""
    found, _ = served(Load(1, (5, 5), (3, 3), 2), engine(request_ns=30.0))
    assert found.first_ns == [80.0, 80.0]
    assert found.ns == 2 * 82.0


def test_caches_hold_a_share_of_prompts() -> None:
    _, times = served(Load(1, (8, 8), (1, 1), 1, hits=0.5), engine())
    assert times.chunks == [(0, [Chunk(4, 4)])]
    _, times = served(Load(1, (8, 8), (1, 1), 1, hits=1.0), engine())
    assert times.chunks == [(0, [Chunk(1, 7)])]


LENGTHS = st.tuples(st.integers(1, 30), st.integers(0, 30)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(
    st.integers(1, 6), LENGTHS, LENGTHS, st.integers(1, 15), st.integers(8, 40), st.booleans(), st.integers(1, 8),
    st.integers(1, 200), st.booleans(), st.sampled_from([0.0, 0.5, 3.0, 50.0]),
)  # fmt: skip
def test_every_token_is_made_once(
    concurrency: int,
    prompt: tuple[int, int],
    output: tuple[int, int],
    requests: int,
    tokens: int,
    mixes: bool,
    sequences: int,
    room: int,
    overlaps: bool,
    request_ns: float,
) -> None:
    load = Load(concurrency, prompt, output, requests)
    under = engine(tokens, mixes, sequences, overlaps=overlaps, request_ns=request_ns)
    found, times = served(load, under, room)
    prompts, outputs = load.lengths()
    assert found.tokens == sum(outputs)
    assert sum(chunk.new for _, chunks in times.chunks for chunk in chunks) == sum(prompts)
    assert len(found.first_ns) == requests
    assert all(beside + sum(chunk.new for chunk in chunks) <= tokens for beside, chunks in times.chunks)
    assert all(beside <= min(sequences, concurrency) for beside, _ in times.chunks)
    assert found.nj == pytest.approx(sum(prompts) + sum(outputs) - requests)
