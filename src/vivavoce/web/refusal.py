"""What is answered instead of what was asked for: always JSON, with a code and a sentence."""

from __future__ import annotations

import http
import json
from collections.abc import Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from vivavoce.core import secrets
from vivavoce.core.errors import StoreError, VivaError


class Refusal(Exception):
    """A request that is not answered as it was meant."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers

    def response(self) -> Response:
        """As the other side reads it."""
        error = {"code": self.code, "message": str(self)}
        # In ASCII, since what a request said may be repeated, and need not be text that can be encoded.
        body = json.dumps({"error": error})
        return Response(body, status_code=self.status, headers=self.headers, media_type="application/json")


def handlers(say: Callable[[str], None]) -> Mapping[Any, Callable[[Request, Exception], Response]]:  # as Starlette has it
    """Every exception as an answer; what is a defect of ours is told to whoever watches the server, in one line."""

    def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return error.response()

    def http_error(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        phrase = http.HTTPStatus(error.status_code).phrase
        return Refusal(error.status_code, _code(phrase), _sentence(error, request), error.headers).response()

    def viva_error(request: Request, error: Exception) -> Response:
        status, code = (503, "store") if isinstance(error, StoreError) else (422, "cannot_run")
        return Refusal(status, code, secrets.blot(str(error), secrets.values({}))).response()

    def defect(request: Request, error: Exception) -> Response:
        say(f"internal error: {request.method} {request.url.path}: {type(error).__name__}: {error}")
        return Refusal(500, "internal", "an internal error; the server's own output tells more").response()

    return {Refusal: refused, HTTPException: http_error, VivaError: viva_error, Exception: defect}


def _code(phrase: str) -> str:
    return phrase.lower().replace(" ", "_").replace("-", "_")


def _sentence(error: HTTPException, request: Request) -> str:
    if error.status_code == 404:
        return f"there is nothing at {request.url.path}; /api/docs lists what there is"
    if error.status_code == 405:
        return f"{request.method} is not understood at {request.url.path}"
    return str(error.detail)
