"""The server: the HTTP API over the store, the shapes of Saiku, the dashboard. Needs the extra `web`."""
