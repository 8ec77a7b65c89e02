"""Task files from parallel text.

Read in this order: `preparation` (the pipeline), `parts` (one part of the text), `examples` and
`placeholders` (the rules of the shared tasks).
"""
