"""Encoders that others have trained, such as XLM-R, with a layer of ours: the extra `hub`.

They come from a folder, or from a hub where the user allows a download; always as safetensors, and code that
comes with a model is never run.
"""
