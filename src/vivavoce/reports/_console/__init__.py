"""The parts of the console report; loaded, with rich, when one is rendered."""
