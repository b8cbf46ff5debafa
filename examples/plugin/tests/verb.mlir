// The PIM verb of verb.py, which the sheet toy_fold lists.
// RUN: ndp-opt --plugin %S/../verb.py --show-device toy_fold | filecheck %s
// CHECK: toy_fold
// CHECK: fold

// RUN: not ndp-opt --show-device toy_fold 2>&1 | filecheck %s --check-prefix=ABSENT
// ABSENT: error: {{.*}}toy_fold
