"""Thin adapters for other tools: each module imports its tool, and nothing else in anaphor imports them."""
