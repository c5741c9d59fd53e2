"""Parts of the OpenTelemetry format."""
