"""Where runs are kept. One file a database."""
