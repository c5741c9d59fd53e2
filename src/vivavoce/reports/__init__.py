"""Runs as text. One file a report."""
