"""Sweeps: one question asked for many machines, sizes and pipelines, each point compiled and timed like a single run.

    ndp-sweep sweep.toml -o results.parquet
    ndp-opt model.onnx -p offload --sweep pim.tCCD=1..8 --sweep machine=a100-newton,a100-aim
    ndp-sweep show results.parquet

`axes` reads the values of an axis, `request` a whole sweep; `sampling` chooses the points; `evaluation` compiles and
times one; `processes` and `cluster` distribute them; `journal` keeps each result at once; `tables`, `analysis`,
`drawing` and `report` show them.
"""
