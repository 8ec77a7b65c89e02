"""The command line: one module per verb, one place that catches errors."""
