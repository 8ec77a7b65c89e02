"""The systems of the shared tasks, and ours, as recipes; with learners, features and language models."""
