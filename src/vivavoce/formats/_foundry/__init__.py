"""The parts of the Foundry format: the way from rows, whatever file they lie in, to cases and back."""
