"""Plans of tasks on a PIM: the chosen mapping of an op to a bank program."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntegerAttr, StringAttr, UnitAttr, i64
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import AnyOf, BaseAttr, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.annotations import Annotation
from dialects.programs.properties import LIMIT
from dialects.task.run import RunOp

PLAN = "pim.plan"

ORDERS = ("buffer", "row", "sum")
SHARES = ("parts", "groups", "splits", "rows", "tiles", "held")
WEIGHTS = ("kept", "written")


@irdl_attr_definition
class MappingAttr(ParametrizedAttribute):
    """Mapping of a product to channels, rows and buffer: `#pim.mapping<sum, splits = 2, tiles = 4, held = 2>`.

    A tile consists of one output per bank. The first word is the loop order: with `buffer`, loaded vectors are
    multiplied with all rows of tiles before the next load; with `row`, an open row is multiplied with all vectors
    before the next row is opened; with `sum`, the sum of a tile over all chunks is finished before it is drained. Each
    channel computes one of `parts` parts of the batch, for one of `groups` groups of vectors, over one of `splits`
    parts of the sum; the channels for which these three are equal divide the outputs, `rows` rows of tiles for each.
    `tiles` tiles share a row, and the accumulators hold the sums of `held` rows of tiles at a time. An omitted number
    is 1; without `rows` the outputs are divided as evenly as possible among channels.
    """

    name = "pim.mapping"
    order: StringAttr
    parts: IntegerAttr
    groups: IntegerAttr
    splits: IntegerAttr
    rows: IntegerAttr
    tiles: IntegerAttr
    held: IntegerAttr

    @staticmethod
    def of(
        order: str, parts: int = 1, groups: int = 1, splits: int = 1, rows: int = 0, tiles: int = 1, held: int = 1
    ) -> MappingAttr:
        """The mapping with these numbers, as the class defines them; `rows` = 0: the outputs are divided as evenly as
        possible among channels."""
        shares = (parts, groups, splits, rows, tiles, held)
        return MappingAttr(StringAttr(order), *(IntegerAttr(share, i64) for share in shares))

    @property
    def shares(self) -> dict[str, int]:
        """The numbers of the mapping by name."""
        return {name: getattr(self, name).value.data for name in SHARES}

    def verify(self) -> None:
        if self.order.data not in ORDERS:
            raise VerifyException(f"pim.mapping: there is no order `{self.order.data}`; there are {', '.join(ORDERS)}")
        for name, share in self.shares.items():
            if not (1 <= share <= LIMIT or (name == "rows" and not share)):
                raise VerifyException(f"pim.mapping: {name} must be at least 1, not {share}")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            order, shares = _word(parser, cls.name, ORDERS), dict[str, int]()
            while parser.parse_optional_punctuation(","):
                start = parser.pos
                if (name := _word(parser, cls.name, SHARES)) in shares:
                    parser.raise_error(f"{cls.name}: `{name}` is given twice; keep one", start, parser.pos)
                parser.parse_punctuation("=")
                start = parser.pos
                shares[name] = parser.parse_integer(allow_boolean=False)
                if not 1 <= shares[name] <= LIMIT:
                    parser.raise_error(f"{cls.name}: {name} must be at least 1, not {shares[name]}", start, parser.pos)
            return cls.of(order, **shares).parameters

    def print_parameters(self, printer: Printer) -> None:
        stated = [f"{name} = {share}" for name, share in self.shares.items() if share != (name != "rows")]
        with printer.in_angle_brackets():
            printer.print_string(", ".join([self.order.data, *stated]))


@irdl_attr_definition
class LanesAttr(ParametrizedAttribute):
    """Location of the weights of element-wise ops on a PIM. `#pim.lanes<kept>`: resident in rows of their own, each of
    which is opened when it is needed; `#pim.lanes<written>`: written at run time into the row of the other operands,
    which stays open."""

    name = "pim.lanes"
    weights: StringAttr

    @staticmethod
    def of(kept: bool) -> LanesAttr:
        return LanesAttr(StringAttr("kept" if kept else "written"))

    @property
    def keeps(self) -> bool:
        """True if weights are resident in separate rows."""
        return self.weights.data == "kept"

    def verify(self) -> None:
        if self.weights.data not in WEIGHTS:
            raise VerifyException(f"pim.lanes: weights are {' or '.join(WEIGHTS)}, not `{self.weights.data}`")

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(_word(parser, cls.name, WEIGHTS))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.weights.data)


def _word(parser: AttrParser, name: str, words: Sequence[str]) -> str:
    start = parser.pos
    word = parser.parse_identifier()
    if word not in words:
        parser.raise_error(f"{name}: {', '.join(words)} are expected here, not `{word}`", start, parser.pos)
    return word


_ONE_PLAN = AnyOf((BaseAttr(MappingAttr), BaseAttr(LanesAttr), BaseAttr(UnitAttr)))
ANNOTATIONS = (
    Annotation(
        PLAN,
        "the plan of the task's op, or an array with one plan per op (`unit` for an op without a plan), which `to-pim` "
        "carries out",
        "task.run",
        (RunOp,),
        kinds=(_ONE_PLAN, ArrayAttr.constr(_ONE_PLAN)),
        example="#pim.mapping<sum>",
    ),
)
