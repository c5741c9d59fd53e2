"""A service of AWS as it looks at who asks: the signature of a request is made again, and must be the same."""

from __future__ import annotations

import re

from aiohttp import web
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

ID = "AKIAEXAMPLE123456789"
SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
TOKEN = "session-token-0123456789"
_FORM = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<id>\w+)/(?P<day>\d{8})/(?P<region>[\w-]+)/(?P<service>[\w-]+)/aws4_request, "
    r"SignedHeaders=(?P<headers>[\w;-]+), Signature=(?P<signature>[0-9a-f]{64})"
)


class _AsSigned(SigV4Auth):
    """Signs what was signed, at the time it was signed."""

    def __init__(self, names: set[str], *given: object) -> None:
        super().__init__(*given)
        self._names = names

    def headers_to_sign(self, request: AWSRequest) -> object:
        made = super().headers_to_sign(request)
        for name in set(made.keys()) - self._names:
            del made[name]
        return made


async def signed(request: web.Request, *, service: str, region: str, token: str | None = None) -> set[str]:
    """The headers that a request's signature covers.

    Raises:
        AssertionError: there is no signature, or another than the secret makes.
    """
    form = _FORM.fullmatch(request.headers["Authorization"])
    assert form is not None, "the signature is of no known form"
    assert (form["id"], form["region"], form["service"]) == (ID, region, service)
    assert request.headers["X-Amz-Date"].startswith(form["day"])
    assert request.headers.get("X-Amz-Security-Token") == token
    names = set(form["headers"].split(";"))
    assert {"host", "x-amz-date", "content-type"} <= names
    # As the target stands in the request, to the letter.
    url = f"http://{request.headers['Host']}{request.raw_path}"
    again = AWSRequest(method=request.method, url=url, data=await request.read(), headers=dict(request.headers))
    again.context["timestamp"] = request.headers["X-Amz-Date"]
    auth = _AsSigned(names, Credentials(ID, SECRET, token), service, region)
    canonical = auth.canonical_request(again)
    assert auth.signature(auth.string_to_sign(again, canonical), again) == form["signature"]
    return names
