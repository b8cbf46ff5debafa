"""Data sheets: their language and fields, how they are found by name or path, checked, and converted to the records of
`interp/machine/records.py`."""

from typing import TYPE_CHECKING, Any

from interp.machine.sheets.search import add_sheet_folder

if TYPE_CHECKING:
    from interp.machine.sheets.files import list_devices, load_device, load_link

__all__ = ["add_sheet_folder", "list_devices", "load_device", "load_link"]


def __getattr__(name: str) -> Any:
    """Load the readers of sheets when they are first used: a program that is only printed reads no sheet."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from interp.machine.sheets import files

    return getattr(files, name)
