"""What the embedded judge is made of."""
