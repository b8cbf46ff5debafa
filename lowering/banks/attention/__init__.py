"""Bank programs of attention over caches in the banks: scores, softmax and context in one program, on devices with a
softmax buffer."""
