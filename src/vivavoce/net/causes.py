"""What lies behind an error of the HTTP library, in words."""

from __future__ import annotations

import os

import aiohttp
from aiohttp.http_exceptions import ContentLengthError, HttpProcessingError, TransferEncodingError

from vivavoce.net.failures import excerpt


def unreadable(error: Exception) -> str | None:
    """What is wrong with an answer that is no HTTP, or is not coded as it says; `None` when it just ended."""
    wrong = error.__cause__ if isinstance(error, aiohttp.ClientPayloadError) else error
    if not isinstance(wrong, aiohttp.ClientResponseError | HttpProcessingError) or isinstance(wrong, ContentLengthError):
        return None
    if isinstance(wrong, TransferEncodingError) and wrong.message.startswith("Not enough data"):
        return None
    return excerpt(wrong.message)


def why(error: aiohttp.ClientError) -> str:
    """In the words of the system, such as "Connection refused", where it has any."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else None
    if cause is None:
        return str(error)
    number = cause.errno or 0  # below 0 for names that cannot be resolved, which have words of their own
    return os.strerror(number) if number > 0 else cause.strerror or str(cause)
