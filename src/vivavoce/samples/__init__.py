"""The demo: a real agent of an invented company, and suites that examine it."""
