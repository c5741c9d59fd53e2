"""Chat models, for judges and simulated users. One file a kind of endpoint."""
