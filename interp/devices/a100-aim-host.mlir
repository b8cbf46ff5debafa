// An A100 with 40 GB and AiM on its board, and its host's memory over PCIe 4.
hw.device @gpu = "a100"
hw.device @pim = "aim"
hw.device @host = "host_managed"
hw.link @gpu to @pim = "on_board" {bandwidth = "448 GB/s"}
hw.link @gpu to @host = "pcie4_copies"
