"""The commands, one file a group: they parse and show, and decide nothing."""
