"""The parts of `vivavoce.agentcore`: its classes, and how its runners ask Viva's engine."""
