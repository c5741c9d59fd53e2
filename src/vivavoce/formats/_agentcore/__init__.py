"""The parts of the AgentCore format: its words, the way from a scenario to a case, and back."""
