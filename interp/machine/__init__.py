"""Machines: data sheets, the records made of them, and who has which memory channels."""
