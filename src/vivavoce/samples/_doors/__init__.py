"""Other ways to speak to the sample agent over HTTP, each checking what it is sent."""
