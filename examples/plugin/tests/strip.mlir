// The level of strip.py: programs of strips, launched from tasks.
// RUN: ndp-opt --plugin %S/../strip.py %S/../strips.mlir -p 'fuse,place{policy=gpu},to-strip' --check 2>&1 | filecheck %s
// CHECK: check: to-strip: 2 results equal
// CHECK: strip.program @fused_0 on @gpu strips 8
// CHECK: strip.relu
// CHECK: strip.launch @fused_0
