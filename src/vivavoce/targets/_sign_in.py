"""Sign a person in at Microsoft Entra, by a code that is typed into a browser, and remember it in the user's cache folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vivavoce.core import folders
from vivavoce.core.environment import variables
from vivavoce.core.errors import CallError
from vivavoce.core.result import Failure
from vivavoce.net.failures import excerpt

HOST = "https://login.microsoftonline.com"
"""Where people sign in, unless the variable `AZURE_AUTHORITY_HOST` names the place of another cloud."""
_HINTS = (
    ("AADSTS65001", "an admin must consent to WorkIQAgent.Ask for this app"),
    ("AADSTS50059", "the tenant is not known: set TENANT_ID"),
    ("AADSTS90002", "the tenant is not known: set TENANT_ID"),
    ("AADSTS700016", "the app is not known in this tenant: set WORK_IQ_A2A_CLIENT_ID"),
    ("AADSTS7000218", "the app must allow public client flows"),
    ("AADSTS650057", "the app must have the permission WorkIQAgent.Ask"),
)
"""What to do about errors of Entra, by the number it gives them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class App:
    """Who asks for a token, and what for."""

    client: str
    tenant: str
    scopes: tuple[str, ...]
    account: str | None
    """Whose it is to be, as a user principal name; by default of the only one who is signed in."""


class SignIn:
    """Tokens for one app. Everything here waits: for the network, or for a person."""

    def __init__(self, app: App, tell: Callable[[str], None] | None) -> None:
        self._app = app
        self._tell = tell
        """Shows a person what to do; `None` when nobody is there."""

    def token(self, renewed: bool) -> str:
        """An access token; `renewed` asks for another than the one that is remembered.

        Raises:
            CallError: nobody is signed in, or can be.
        """
        try:
            client = self._connect()
            try:
                return self._silently(client, renewed) or self._asking(client)
            finally:
                client.http_client.close()
        except (ValueError, KeyError, RuntimeError, OSError) as error:
            # Everything that msal raises for what it gets, or cannot get, from the network and from its file.
            raise _failed("sign_in", f"cannot sign in: {error}", retriable=isinstance(error, OSError)) from None

    def _connect(self) -> Any:  # a client of msal, which has no types
        import msal

        host = variables().get("AZURE_AUTHORITY_HOST", "").strip().rstrip("/") or HOST
        return msal.PublicClientApplication(
            self._app.client,
            authority=f"{host}/{self._app.tenant}",
            token_cache=_cache(),
            # Asking Microsoft whether a host is its own makes sense for its own alone.
            instance_discovery=None if host == HOST else False,
        )

    def _silently(self, client: Any, renewed: bool) -> str | None:  # a client of msal, which has no types
        """A token for who is signed in; `None` when a person is needed."""
        accounts = client.get_accounts(username=self._app.account)
        if len(accounts) > 1:
            names = ", ".join(sorted(str(each.get("username")) for each in accounts))
            raise _failed("sign_in", f"several people are signed in ({names}): name one by the option account")
        if not accounts:
            return None
        answer = client.acquire_token_silent_with_error(list(self._app.scopes), accounts[0], force_refresh=renewed) or {}
        token = answer.get("access_token")
        return token if isinstance(token, str) else None

    def _asking(self, client: Any) -> str:  # a client of msal, which has no types
        """A token for a person who types a code into a browser."""
        if self._tell is None:
            raise _failed(
                "sign_in",
                "nobody is signed in, and nobody is here to: run this in a terminal once, or set WORK_IQ_ACCESS_TOKEN",
            )
        flow = client.initiate_device_flow(scopes=list(self._app.scopes))
        if "user_code" not in flow:
            raise _refused(flow)
        self._tell(str(flow["message"]))
        answer = client.acquire_token_by_device_flow(flow)
        token = answer.get("access_token")
        if not isinstance(token, str):
            raise _refused(answer)
        who = str((answer.get("id_token_claims") or {}).get("preferred_username", ""))
        if self._app.account is not None and who and who.lower() != self._app.account.lower():
            raise _failed("sign_in", f"{who} has signed in, but account is {self._app.account}")
        return token


def forget() -> tuple[str, ...]:
    """Forget who is signed in; gives their names."""
    if not _file().exists():
        return ()
    import msal

    kept = _persistence()
    cache = msal.SerializableTokenCache()
    with suppress(ValueError, OSError):  # what cannot be read is forgotten all the more
        cache.deserialize(kept.load())
    found = list(cache.search(msal.TokenCache.CredentialType.ACCOUNT))
    kept.save("{}")
    _file().unlink(missing_ok=True)
    return tuple(sorted({str(each.get("username")) for each in found}))


def tell_on_terminal() -> Callable[[str], None] | None:
    """What shows a person something; `None` when there is no terminal, and so nobody to read it."""
    if not sys.stderr.isatty():
        return None

    def tell(text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    return tell


def _cache() -> Any:  # of msal-extensions, which has no types
    from msal_extensions import PersistedTokenCache

    return PersistedTokenCache(_persistence())


def _persistence() -> Any:  # of msal-extensions, which has no types
    """Encrypted where the system has the means; else a file that nobody else may read."""
    from msal_extensions import FilePersistence, build_encrypted_persistence

    file = _file()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        return build_encrypted_persistence(str(file))
    except (ImportError, OSError, RuntimeError, ValueError):
        file.touch(mode=0o600)
        file.chmod(0o600)
        return FilePersistence(str(file))


def _file() -> Path:
    return folders.cache() / "m365" / "sign-in.bin"


def _refused(answer: Any) -> CallError:  # what Entra says, as msal hands it on
    said = str(answer.get("error_description") or answer.get("error") or "no reason given").splitlines()[0]
    hint = next((f"; {way_out}" for number, way_out in _HINTS if number in said), "")
    return _failed("sign_in", f"Entra gave no token: {said}{hint}")


def _failed(code: str, message: str, *, retriable: bool = False) -> CallError:
    return CallError(Failure(code=code, message=excerpt(message, 600), retriable=retriable, sent=False))
