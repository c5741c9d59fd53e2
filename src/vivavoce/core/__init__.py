"""What things are: plain frozen data, the protocols of plugins, and how both are found and written."""
