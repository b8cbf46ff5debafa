"""Data sheets: their language and fields, how they are found by name or path, checked, and converted to the records of
`interp/machine/records.py`."""

from interp.machine.sheets.files import list_devices, load_device, load_link
from interp.machine.sheets.search import add_sheet_folder

__all__ = ["add_sheet_folder", "list_devices", "load_device", "load_link"]
