"""One program planned for many variants of its machine at once, which differ in numbers only: candidates are timed for
all variants, and each variant gets the best one."""
