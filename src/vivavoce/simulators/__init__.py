"""Who plays simulated users: by rules, or a chat model. One file each."""
