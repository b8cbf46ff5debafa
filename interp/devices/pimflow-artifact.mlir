// PIMFlow's machine as its published code accounts for it: nothing for slices, joins, waiting and moving; its own bank programs.
//
// The GPU is that of `pimflow`, except for ops that its runtime neither runs nor times; bank programs are those of its generator, which
// omits some work, timed as by its simulator. The machine gives times and energies only: no program is lowered to banks for it.
hw.device @gpu = "pimflow_gpu_artifact"
hw.device @pim = "newton_artifact"
hw.link @gpu to @pim = "pimflow_free"
