"""The parts of the native format: its shapes, and the way from a row to a case and back."""
