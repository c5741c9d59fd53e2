"""Parts of the format `m365`."""
