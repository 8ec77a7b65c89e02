"""Pretrained encoders, such as XLM-R, with a classification layer: the extra `hub`.

They come from a folder, or from a hub if the user allows a download; always as safetensors, and code that
comes with a model is never run.
"""
