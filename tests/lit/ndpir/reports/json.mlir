// RUN: ndp-opt %s -t 'timeline{json}' | filecheck %s --check-prefix=TIMELINE
// RUN: ndp-opt %s -t 'timeline{json=true limit=1}' | filecheck %s --check-prefix=TIMELINE
// RUN: ndp-opt %s -t 'json{sections=summary,plan}' | filecheck %s --check-prefix=ALL
// RUN: ndp-opt %s -t 'mlir{json}' --print-op-generic | filecheck %s --check-prefix=FILE
// RUN: ndp-opt %s -t 'values{json=false}' | filecheck %s --check-prefix=FALSE
// RUN: not ndp-opt %s -t 'json{sections=sums}' 2>&1 | filecheck %s --check-prefix=SECTION
// RUN: ndp-opt %S/Inputs/two.mlir --split-input-file -t 'values{json limit=0}' | filecheck %s --check-prefix=TWO

// Documents carry the version of their form, the target, and the answer with all of its rows.
// TIMELINE:      {
// TIMELINE-NEXT:  "schema": "ndpir-answers/1",
// TIMELINE-NEXT:  "target": "timeline",
// TIMELINE-NEXT:  "answer": {
// TIMELINE-NEXT:   "totals": {
// TIMELINE:        "rows": [
// TIMELINE-NEXT:    {
// TIMELINE-NEXT:     "kind": "task",
// TIMELINE-NEXT:     "name": "relu",
// TIMELINE-NEXT:     "on": "gpu",
// TIMELINE-NEXT:     "start_ns": 0.0,
// TIMELINE:          "kind": "task",
// TIMELINE-NEXT:     "name": "neg",

// A section that does not apply, or was not requested, is null.
// ALL:      "target": "json",
// ALL:      "timeline": null,
// ALL-NEXT: "summary": {
// ALL:      "banks": null,
// ALL:      "plan": null,
// ALL:      "absent": {
// ALL-NEXT:  "timeline": "not requested",
// ALL:       "plan": "pass `place` noted no plan for this machine; run it (-p place)",

// JSON documents of several programs follow each other.
// TWO:      "type": "tensor<4xf32>",
// TWO:      {{^}}}
// TWO-NEXT: {{^}}{
// TWO:      "type": "tensor<2xf32>",

// FILE: "target": "mlir",
// FILE: "text": "\"builtin.module\"() ({\n
// FALSE: result 0: tensor<4xf32>
// SECTION: -t:1:6: error: json has no section `sums`; it has timeline, summary, banks,
hw.device @gpu = "toy_gpu"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = graph.relu %x : tensor<4xf32>
  %b = graph.neg %a : tensor<4xf32>
  func.return %b : tensor<4xf32>
}
