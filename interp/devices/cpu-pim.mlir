// A processor, by one core and by all, and a PIM on its memory bus: the platform of Kim et al., TODAES 2024.
//
// Kim et al. ("Optimal Model Partitioning with Low-Overhead Profiling on the PIM-based Platform for Deep Learning Inference", doi
// 10.1145/3628599) place each op of a network on a CPU with one thread, a CPU with many threads, or a PIM, and run ops serially.
// This machine has the same rules: the two processors are the same cores and take turns (`same_memory`), and the runtime starts a task
// or copy when the previous one has ended (`executor sequential` in cpu.sheet; `--set serial.executor=parallel` runs them concurrently).
//
// The processors' sheets are placeholders: `ndp-profile` measures both on this computer, and `--profile FILE` uses the measured times.
//
// The PIM is 8 of AiM's channels behind LPDDR5, as wide as the processor's memory bus. It multiplies bf16: programs in f32 are
// rounded to bf16 (the pass `reduce-precision`). Its link leads to @serial, whose memory is also that of @parallel.
hw.device @serial = "cpu_serial"
hw.device @parallel = "cpu_parallel" {idle = "0 W"}
hw.device @pim = "aim_lpddr5" {channels = 8}
hw.link @serial to @parallel = "same_memory"
hw.link @serial to @pim = "memory_bus"
