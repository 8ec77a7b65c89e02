"""Work that outgrows one machine: texts in shards, tasks whose results are kept, and a crew that does them.

Read in this order: `kept` (a task and what stays of it), `crew` (who does tasks: this process), `cluster`
(or a Dask cluster), `survey` (texts in shards), then `preparing`, which makes data of the prediction task,
and `training`, which trains the aligner on `sharded_text`. Nothing but `cluster` knows Dask.
"""
