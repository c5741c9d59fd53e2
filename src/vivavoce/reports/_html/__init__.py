"""The parts of the page that the report `html` writes."""
