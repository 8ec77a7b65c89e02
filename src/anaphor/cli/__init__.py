"""The command line: one module a verb, one place that catches errors."""
