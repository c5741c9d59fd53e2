"""What `runevals` is made of."""
