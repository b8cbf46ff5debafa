// pimflow with the PIM of PIMFlow's baseline Newton+: its global buffers are not filled while rows are opened and read.
hw.device @gpu = "pimflow_gpu"
hw.device @pim = "newton_plus"
hw.link @gpu to @pim = "pimflow_channels"
