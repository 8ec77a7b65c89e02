"""Thin adapters for other tools: each module imports its tool, and nothing else of anaphor imports them."""
