"""Who is let in: credentials, names, other sites, and the headers of every answer."""

from __future__ import annotations

import base64

import pytest

from vivavoce.web.access import Access, host_name, is_loopback
from vivavoce.web.guesses import AT_ONCE, EACH, Guesses, sender


def basic(username: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()


PATHS = (
    "/",
    "/api/suites",
    "/api/runs/last",
    "/api/openapi.json",
    "/api/docs",
    "/saiku/api/info",
    "/rest/saiku/admin/ai-evals",
    "/x",
)


def test_without_a_credential_nothing_but_health_answers(serve):
    server = serve(host="0.0.0.0", password="open sesame", token="t0ken")
    assert server.get("/api/health").status == 200
    for path in PATHS:
        for given in (
            {},
            {"Authorization": basic("admin", "wrong")},
            {"Authorization": "Bearer wrong"},
            {"Authorization": "?"},
        ):
            answer = server.get(path, X_Forwarded_For=f"192.0.2.{PATHS.index(path)}", **given)
            assert answer.status == 401, path
            assert answer.headers["www-authenticate"].startswith("Basic ")
            assert "sesame" not in answer.body.decode()
    for given in (basic("admin", "open sesame"), basic("anyone", "t0ken"), "Bearer t0ken", "bearer t0ken"):
        assert server.get("/api/suites", Authorization=given).status == 200
    assert server.ask("POST", "/api/runs", b"{}", Content_Type="application/json").status == 401
    assert server.ask("POST", "/api/runs", b"{}", Authorization="Bearer t0ken").status == 202


def test_who_was_wrong_too_often_has_to_wait_and_nobody_else(serve):
    server = serve(host="0.0.0.0", password="open sesame")
    wrong, right = basic("admin", "wrong"), basic("admin", "open sesame")
    for _ in range(AT_ONCE):
        assert server.get("/api/suites", Authorization=wrong).status == 401
    for given in (wrong, right):  # or a guess would be answered all the same
        refused = server.get("/api/suites", Authorization=given)
        assert (refused.status, refused.data["error"]["code"]) == (429, "too_many")
        assert 0 < int(refused.headers["retry-after"]) <= EACH
    assert server.get("/api/suites").status == 401
    assert server.get("/api/health").status == 200
    assert server.get("/api/suites", Authorization=right, X_Forwarded_For="198.51.100.7, 192.0.2.1").status == 200


def test_one_more_guess_is_free_after_a_while():
    now = 1000.0
    guesses = Guesses(lambda: now)
    for _ in range(AT_ONCE):
        assert guesses.wait("a") == 0
        guesses.wrong("a")
    assert guesses.wait("a") == EACH
    assert guesses.wait("b") == 0
    now += EACH
    assert guesses.wait("a") == 0
    guesses.wrong("a")
    assert guesses.wait("a") == EACH
    now += AT_ONCE * EACH
    for each in range(AT_ONCE):
        assert guesses.wait("a") == 0, each
        guesses.wrong("a")


def test_what_is_known_of_senders_is_bounded():
    guesses = Guesses(lambda: 1.0)
    for each in range(11_000):
        guesses.wrong(str(each))
    for _ in range(AT_ONCE):
        guesses.wrong("0")
    assert guesses.wait("0") == EACH, "its first guess was forgotten"


@pytest.mark.parametrize(
    ("client", "forwarded", "who"),
    [
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("127.0.0.1", "10.0.0.1, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "nonsense", "127.0.0.1"),
        ("2001:db8::1", None, "2001:db8::/64"),
        ("", None, ""),
    ],
)
def test_whose_request_it_is(client, forwarded, who):
    assert sender(client, {"x-forwarded-for": forwarded} if forwarded else {}) == who


@pytest.mark.parametrize(
    "given",
    [
        None,
        "",
        "Basic",
        "Basic !",
        "Basic " + "A" * 4000,
        basic("root", "pw"),
        basic("admin", "pwx"),
        basic("admin", ""),
        "Bearer",
        "Bearer ",
    ],
)
def test_what_is_no_credential(given):
    assert not Access(password="pw").admits(given)
    assert not Access(token="t0ken").admits(given)
    assert not Access().admits(given)


def test_what_is_one():
    assert Access(password="pä").admits(basic("admin", "pä"))
    assert Access(username="eve", password="a:b").admits(basic("eve", "a:b"))
    assert "pw" not in repr(Access(password="pw", token="pw"))


@pytest.mark.parametrize(
    ("host", "called", "fits"),
    [
        ("127.0.0.1", "localhost:1", True),
        ("127.0.0.1", "127.0.0.1:8750", True),
        ("127.0.0.1", "[::1]:8750", True),
        ("127.0.0.1", "evil.example", False),
        ("127.0.0.1", "192.0.2.1", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "evals.example:443", True),
        ("0.0.0.0", "192.0.2.1:80", True),
        ("0.0.0.0", "evil.example", False),
        ("box.lan", "box.lan:80", True),
    ],
)
def test_names_of_the_server(host, called, fits):
    assert Access(host=host, hosts=frozenset({"evals.example"})).answers_to(called) is fits


def test_addresses_of_this_machine_only():
    assert all(map(is_loopback, ("127.0.0.1", "127.1.2.3", "::1", "localhost")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "", "192.0.2.1", "box.lan")))
    assert host_name("[::1]:80") == "::1"


def test_a_name_that_leads_here_without_our_doing_is_refused(server):
    for path in ("/", "/api/health", "/api/suites"):
        answer = server.get(path, Host="evil.example")
        assert (answer.status, answer.data["error"]["code"]) == (421, "unknown_host")


@pytest.mark.parametrize("path", ["/api/runs", "/saiku/admin/ai-evals/run", "/rest/saiku/admin/ai-evals/run"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example", "Authorization": basic("admin", "admin")}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "same-origin"}, 403),
        ({"Sec-Fetch-Site": "same-origin", "X-Viva-Token": "wrong"}, 403),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({}, 415),
    ],
)
def test_what_a_page_of_another_site_can_send_begins_nothing(server, path, headers, status):
    assert server.ask("POST", path, b"{}", **headers).status == status
    assert server.get("/api/suites/desk/runs").data["runs"] == []


def test_its_own_page_begins_a_run_with_its_token(server):
    own = {"Origin": server.url, "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
    assert server.ask("POST", "/api/runs", b"{}", **own).status == 403
    assert server.ask("POST", "/api/runs", b"{}", **own, X_Viva_Token="page-token").status == 202


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/nothing", "/api/docs", "/api/docs.css"])
def test_every_answer_keeps_to_itself(server, path):
    headers = server.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert "server" not in headers


@pytest.mark.parametrize(
    "way", ["../", "..%2f", "%2e%2e/", "..%5c", "..\\", "%252e%252e%252f", "....//", "/", "%00", "file:///"]
)
def test_no_address_leads_to_a_file_of_the_project(server, folder, way):
    (folder / "secret.txt").write_text("lies-in-the-project", encoding="utf-8")
    for start in ("/", "/assets/", "/api/", "/api/runs/", "/api/suites/", "/runs/", "/suites/", "/compare?a=", "/saiku/"):
        for end in ("secret.txt", "evals/../secret.txt", "../secret.txt", "etc/passwd"):
            answer = server.get(f"{start}{way}{end}")
            assert answer.status < 500, (start, way, end)
            assert b"lies-in-the-project" not in answer.body
            assert b"root:x:0" not in answer.body
