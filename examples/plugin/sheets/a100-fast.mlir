// An A100 with 64 channels of the faster Newton on its board.
hw.device @gpu = "a100"
hw.device @pim = "newton_fast" {channels = 64}
hw.link @gpu to @pim = "on_board"
