"""People with a browser and programs with a token, as far as HTTP goes: standard library alone."""

import http.client
import http.cookiejar
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_ANSWER_SECONDS = 60.0
_PATIENCE_SECONDS = 90.0  # longer than any one service needs to come back
PASSWORD = "correct horse battery staple"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    content: bytes
    headers: Mapping[str, str]

    @property
    def text(self) -> str:
        return self.content.decode()

    def json(self) -> Any:
        return json.loads(self.content)


@dataclass(frozen=True, slots=True)
class File:
    name: str
    content: bytes


def _opener() -> urllib.request.OpenerDirector:
    jar = http.cookiejar.CookieJar()
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(jar)
    )


@dataclass(frozen=True, slots=True)
class Visitor:
    """A browser: keeps cookies, follows redirects, and sends forms with what the page put into them."""

    site: str
    opener: urllib.request.OpenerDirector = field(default_factory=_opener)

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return _ask(self.opener, _request(self.site + path, headers=headers or {}))

    def post(self, path: str, form: Mapping[str, str | File], *, page: str = "") -> Answer:
        """Send a form of the page, which is at the same address unless said otherwise."""
        shown = self.get(page or path)
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', shown.text)
        assert token is not None, shown.text[:2000]
        body, kind = _multipart({"csrfmiddlewaretoken": token[1], **form})
        return _ask(self.opener, _request(self.site + path, body, {"Content-Type": kind}))

    def sign_up(self, address: str) -> None:
        form = {"email": address, "password1": PASSWORD, "password2": PASSWORD}
        assert address in self.post("/accounts/signup/", form).text

    def token(self) -> str:
        """Make a token on its page, and read it there."""
        made = self.post("/tokens/", {"name": "a journey", "scope": "submit", "days": "1"})
        found = re.search(r"ptxb_\w+", made.text)
        assert found is not None, made.text[:2000]
        return found[0]


@dataclass(frozen=True, slots=True)
class Program:
    """A program with a token. It asks again where the site was away, as any program has to."""

    site: str
    token: str

    def get(self, path: str) -> Any:
        answer = self._asked("GET", path)
        assert answer.status == 200, answer.text[:2000]
        return answer.json()

    def bytes_at(self, path: str) -> bytes:
        answer = self._asked("GET", path)
        assert answer.status == 200, answer.text[:2000]
        return answer.content

    def submit(self, file: File) -> str:
        """Hand a file in and give the uid of its submission, the same one however often it has to be sent."""
        body, kind = _multipart({"file": file})
        answer = self._asked("POST", "/api/v1/submissions", body, kind)
        assert answer.status in {200, 201}, answer.text[:2000]
        return str(answer.json()["uid"])

    def submission(self, uid: str) -> Any:
        return self.get(f"/api/v1/submissions/{uid}")

    def turns(self, uid: str) -> Any:
        return self.get(f"/api/v1/submissions/{uid}/turns")

    def confirm(self, uid: str, **said: object) -> None:
        """Confirm what was understood; where that was done already, it is done."""
        least = {"licence": "CC-BY-4.0", "consent": True}
        answer = self.post(f"/api/v1/submissions/{uid}/confirm", {**least, **said})
        done = answer.status == 409 and self.submission(uid)["state"] != "understood"
        assert answer.status == 200 or done, answer.text[:2000]

    def post(self, path: str, said: Mapping[str, object]) -> Answer:
        return self._asked("POST", path, json.dumps(said).encode(), "application/json")

    def wait_for(self, uid: str, state: str) -> None:
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while (now := self.submission(uid))["state"] != state:
            assert now["state"] != "refused", now
            assert time.monotonic() < deadline, now
            time.sleep(0.1)

    def _asked(self, method: str, path: str, body: bytes | None = None, kind: str = "") -> Answer:
        headers = {"Authorization": f"Token {self.token}"} | (
            {"Content-Type": kind} if kind else {}
        )
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            request = _request(self.site + path, body, headers, method)
            try:
                answer = _ask(urllib.request.build_opener(urllib.request.ProxyHandler({})), request)
            except (OSError, http.client.HTTPException) as away:
                assert time.monotonic() < deadline, away
            else:
                if answer.status < 500:
                    return answer
                assert time.monotonic() < deadline, answer.text[:2000]
            time.sleep(0.1)


def _request(
    url: str, body: bytes | None = None, headers: Mapping[str, str] | None = None, method: str = ""
) -> urllib.request.Request:
    assert url.startswith("http://127.0.0.1:")
    word = method or ("GET" if body is None else "POST")
    return urllib.request.Request(url, body, dict(headers or {}), method=word)  # noqa: S310 (see above)


def _ask(opener: urllib.request.OpenerDirector, request: urllib.request.Request) -> Answer:
    """Raise OSError or HTTPException where nobody answers."""
    try:
        with opener.open(request, timeout=_ANSWER_SECONDS) as answer:
            return Answer(answer.status, answer.read(), dict(answer.headers))
    except urllib.error.HTTPError as refused:
        with refused:
            return Answer(refused.code, refused.read(), dict(refused.headers))


def _multipart(form: Mapping[str, str | File]) -> tuple[bytes, str]:
    """The body of a form and its content type."""
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in form.items():
        file = f'; filename="{value.name}"' if isinstance(value, File) else ""
        content = value.content if isinstance(value, File) else value.encode()
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(
        parts
    ) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
