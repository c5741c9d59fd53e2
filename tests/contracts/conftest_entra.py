"""A server that stands in for Microsoft Entra: it hands out codes, and tokens to who has them, over TLS on this machine."""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import json
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


@dataclass
class Entra:
    """What it was asked, and what it is to do."""

    certificate: Path
    until: datetime
    url: str = ""
    refuses: str = ""
    codes: int = 0
    tokens: int = 0
    scopes: list[str] = field(default_factory=list)

    async def configuration(self, _: web.Request) -> web.Response:
        place = f"{self.url}/t-1/oauth2/v2.0"
        return web.json_response(
            {
                "issuer": f"{self.url}/t-1/v2.0",
                "authorization_endpoint": f"{place}/authorize",
                "token_endpoint": f"{place}/token",
                "device_authorization_endpoint": f"{place}/devicecode",
            }
        )

    async def code(self, asked: web.Request) -> web.Response:
        form = await asked.post()
        assert form["client_id"] == "c-1"
        self.scopes.append(str(form["scope"]))
        self.codes += 1
        number, place = f"CODE-{self.codes}", "https://entra.example/device"
        told = {"user_code": number, "device_code": number, "verification_uri": place, "interval": 0, "expires_in": 60}
        return web.json_response({**told, "message": f"Type {number} at {place}"})

    async def token(self, asked: web.Request) -> web.Response:
        form = await asked.post()
        assert form["grant_type"] in ("refresh_token", "urn:ietf:params:oauth:grant-type:device_code")
        if self.refuses:
            return web.json_response({"error": "invalid_grant", "error_description": self.refuses}, status=400)
        self.tokens += 1
        claims = {
            "iss": f"{self.url}/t-1/v2.0",
            "aud": "c-1",
            "sub": "ada",
            "oid": "ada",
            "tid": "t-1",
            "preferred_username": "ada@desk.example",
            "exp": int((datetime.now(UTC) + timedelta(hours=1)).timestamp()),
            "iat": int(datetime.now(UTC).timestamp()),
        }
        return web.json_response(
            {
                "token_type": "Bearer",
                "access_token": f"access-{self.tokens}",
                "refresh_token": f"refresh-{self.tokens}",
                "expires_in": 3600,
                "scope": "api://workiq.svc.cloud.microsoft/WorkIQAgent.Ask",
                "id_token": ".".join((_coded({"alg": "none"}), _coded(claims), "")),
                "client_info": _coded({"uid": "ada", "utid": "t-1"}),
            }
        )


@contextmanager
def entra() -> Iterator[Entra]:
    """The server, in a thread of its own."""
    with tempfile.TemporaryDirectory() as folder:
        context, made = _certified(Path(folder))
        started, loop = threading.Event(), asyncio.new_event_loop()
        stop = asyncio.Event()

        async def serve() -> None:
            app = web.Application()
            app.add_routes(
                [
                    web.get("/t-1/v2.0/.well-known/openid-configuration", made.configuration),
                    web.post("/t-1/oauth2/v2.0/devicecode", made.code),
                    web.post("/t-1/oauth2/v2.0/token", made.token),
                ]
            )
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
            made.url = f"https://127.0.0.1:{runner.addresses[0][1]}"
            started.set()
            await stop.wait()
            await runner.cleanup()

        thread = threading.Thread(target=lambda: loop.run_until_complete(serve()))
        thread.start()
        assert started.wait(10)
        try:
            yield made
        finally:
            loop.call_soon_threadsafe(stop.set)
            thread.join()
            loop.close()


def _coded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def _certified(folder: Path) -> tuple[ssl.SSLContext, Entra]:
    """A certificate for this machine, trusted by whoever is given its file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "stand-in")])
    now = datetime.now(UTC)
    until = now + timedelta(days=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(until)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "certificate.pem", folder / "key.pem"
    chain.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(chain, secret)
    return context, Entra(certificate=chain, until=until)
