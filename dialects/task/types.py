"""The types of the task level: a placed tensor, and a token for a moment in time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import SymbolRefAttr, TensorType
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import base, irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dialects.graph.op import tensor_problem
from dialects.values import called, read_device


@irdl_attr_definition
class OnType(ParametrizedAttribute, TypeAttribute):
    """A tensor in a device's memory: `!task.on<@pim, tensor<1x4096xf16>>`."""

    name = "task.on"
    device: SymbolRefAttr
    tensor: TensorType[Attribute]

    def verify(self) -> None:
        if self.device.nested_references.data:
            raise VerifyException(f"task.on: the device must be one name (@gpu), not {self.device}")
        if (wrong := tensor_problem(self.tensor)) is not None:
            raise VerifyException(f"task.on: {wrong}")

    @staticmethod
    def of(device: str, tensor: Attribute) -> OnType:
        assert isinstance(tensor, TensorType)
        return OnType(SymbolRefAttr(device), tensor)  # pyright: ignore[reportUnknownArgumentType]

    @property
    def place(self) -> str:
        """The device's name."""
        return self.device.root_reference.data

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            device = SymbolRefAttr(read_device(parser))
            parser.parse_punctuation(",")
            start = parser.pos
            tensor = parser.parse_type()
            if (wrong := tensor_problem(tensor)) is not None:
                parser.raise_error(f"a placed value is a tensor: {wrong}", start, parser.pos)
            return device, tensor

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_symbol_name(self.place)
            printer.print_string(", ")
            printer.print_attribute(self.tensor)


@irdl_attr_definition
class TokenType(ParametrizedAttribute, TypeAttribute):
    """The type of a token, which becomes available at the moment at which all ops that it was derived from are
    complete."""

    name = "task.token"


ON = base(OnType)


def placed(value: SSAValue) -> OnType:
    """The type of a placed value. Raises VerifyException for any other value."""
    if not isinstance(value.type, OnType):
        name = called(value)
        raise VerifyException(
            f"{name} is a {value.type} and is not on a device; place it first (task.resident {name} on @DEVICE)"
        )
    return value.type
