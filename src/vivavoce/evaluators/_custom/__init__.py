"""Evaluators of a project's own: found in its folder, loaded with care, and run apart from the event loop."""
