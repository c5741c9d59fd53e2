"""What a cassette consists of: calls, outcomes, the file, the cache, and what is said of a call that is not there."""
