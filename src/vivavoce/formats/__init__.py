"""Dataset formats: files to suites, and back. One file a format."""
