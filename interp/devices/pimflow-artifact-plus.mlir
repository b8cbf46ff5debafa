// pimflow-artifact with the PIM of PIMFlow's baseline Newton+: one global buffer a channel, no hiding of buffer loads.
hw.device @gpu = "pimflow_gpu_artifact"
hw.device @pim = "newton_plus_artifact"
hw.link @gpu to @pim = "pimflow_free"
