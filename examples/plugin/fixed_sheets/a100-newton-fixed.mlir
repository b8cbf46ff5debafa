// An A100 with 64 channels of Newton on its board, and a fixed-function unit (see fixed.py).
hw.device @gpu = "a100"
hw.device @pim = "newton" {channels = 64}
hw.device @unit = "fixed_unit"
hw.link @gpu to @pim = "on_board"
hw.link @gpu to @unit = "on_board" {bandwidth = "448 GB/s"}
