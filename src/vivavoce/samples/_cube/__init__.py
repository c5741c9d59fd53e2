"""The sales cube of the second sample agent: what it holds, how it is asked, and what is said of it."""
