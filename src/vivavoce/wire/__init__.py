"""Text and vendors' JSON to plain data and core types: pure functions, no files, no network."""
