"""Calls over HTTP, with everything that may go wrong on the way as a typed failure."""
