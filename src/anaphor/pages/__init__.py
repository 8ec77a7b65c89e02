"""HTML pages of suites, benches and post-editing, and human judgements for reports of scores."""
