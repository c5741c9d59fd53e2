"""The parts of the format of Saiku: a suite in YAML to cases and back, and its report."""
