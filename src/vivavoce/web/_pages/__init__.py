"""What the pages of the dashboard show: one module a page, plain data for its template."""
