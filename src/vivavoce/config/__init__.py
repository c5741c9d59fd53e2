"""Settings from flags, environment and files, as one frozen value that knows where each came from."""
