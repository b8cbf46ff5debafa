// PIMFlow's machine as its published code accounts for it: nothing for slices, joins, waiting and moving; its own bank programs.
//
// The GPU is that of `pimflow` but for ops that its runtime neither runs nor times; bank programs are those of its generator, which
// drops some work, timed as its simulator does. Times and energies alone: nothing is lowered to banks for it.
hw.device @gpu = "pimflow_gpu_artifact"
hw.device @pim = "newton_artifact"
hw.link @gpu to @pim = "pimflow_free"
