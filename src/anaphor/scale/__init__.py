"""Work that outgrows one machine: texts in shards, tasks whose results are stored, executors that run them.

Read in this order: `result_store` (a task and its stored result), `executor` (runs tasks in this process),
`cluster` (runs them on Dask workers), `shards` (texts in shards), then `preparation`, which prepares data of
the prediction task, and `training`, which trains the aligner on a `sharded_text`. Only `cluster` knows Dask.
"""
