"""Machines: data sheets, the records made from them, and the division of memory channels between devices."""
