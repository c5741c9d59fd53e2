"""Where trials run. One file an engine."""
