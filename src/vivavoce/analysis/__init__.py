"""Runs as numbers: pure functions, no files, no network."""
