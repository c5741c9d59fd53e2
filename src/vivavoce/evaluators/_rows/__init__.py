"""The parts of comparing rows: numbers as people write them, cells, and which row belongs to which."""
