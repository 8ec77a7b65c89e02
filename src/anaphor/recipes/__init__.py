"""The systems of the shared tasks, and ours, as recipes; with the learners, features and language models
that they need.
"""
