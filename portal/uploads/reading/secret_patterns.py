"""What secrets look like in text: a literal to search for, and a pattern that is tried only there.

Searching for literals is fast, and no pattern can go back over what another attempt has read: each begins at a
boundary or with a literal, and repeats single classes. So the time is linear in the text, whoever wrote it.
"""

import re
from dataclasses import dataclass
from enum import StrEnum


class Secret(StrEnum):
    """Kinds of secrets, the most telling first: where two patterns meet, the first kind is named."""

    PRIVATE_KEY = "private_key"
    ANTHROPIC_KEY = "anthropic_key"
    OPENAI_KEY = "openai_key"
    GOOGLE_KEY = "google_key"
    AWS_KEY = "aws_key"
    AZURE_KEY = "azure_key"
    HUGGING_FACE_TOKEN = "hugging_face_token"  # noqa: S105  # the name of a kind, no secret
    GITHUB_TOKEN = "github_token"  # noqa: S105  # the name of a kind, no secret
    SLACK_TOKEN = "slack_token"  # noqa: S105  # the name of a kind, no secret
    PROVIDER_KEY = "provider_key"
    WEB_TOKEN = "web_token"  # noqa: S105  # the name of a kind, no secret
    URL_PASSWORD = "url_password"  # noqa: S105  # the name of a kind, no secret
    AUTHORIZATION = "authorization"
    COOKIE = "cookie"
    NAMED_SECRET = "named_secret"  # noqa: S105  # the name of a kind, no secret


# Compared as objects, because each is looked up for every text.
@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Where one of ``anchors`` stands and ``pattern`` fits, its group ``value`` or ``bare`` (or all) is a secret.

    No anchor is looked for in a text that holds none of ``gates``, which rules share: that halves the time. Every
    anchor holds a gate of its rule.
    """

    kind: Secret
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    shared_gates: tuple[str, ...] = ()

    @property
    def gates(self) -> tuple[str, ...]:
        return self.shared_gates or self.anchors


# No letter, digit or joint before: the middle of a word, a hash or base64 is no beginning of a key. The letter of an
# escape is none of these: a text may hold JSON, and that JSON another text.
_START = r"(?:(?<![A-Za-z0-9_+-])|(?<=\\[nrt]))"
_WORD = r"[A-Za-z0-9_-]"
_NOT_GOING_ON = r"(?![A-Za-z0-9])"


def _token(kind: Secret, anchors: str, rest: str, gate: str = "") -> Rule:
    """A key that begins with one of the anchors."""
    words = tuple(anchors.split())
    starts = "|".join(re.escape(word) for word in words)
    gates = (gate,) if gate else ()
    return Rule(kind, words, re.compile(f"{_START}(?:{starts}){rest}"), gates)


_SEPARATOR = r"""(?:\\?["'])?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}"""
# A quoted value is a secret whatever it looks like; a bare one only when it looks like one, since it may be code.
_QUOTED = r"""\\?["'](?P<value>[^\s"'\\]{6,}+)"""
# Without separators in it, so that no name with a value of its own is read twice.
_BARE = (
    r"(?P<bare>(?=[A-Za-z+/_.~-]{0,80}[0-9])(?=[0-9+/_.~-]{0,80}[A-Za-z])[A-Za-z0-9+/_.~-]{16,}+={0,2})"
    r"(?![A-Za-z0-9(\[{<])"
)


def _named(gates: str, names: str) -> Rule:
    """A value that is assigned to a name, in code, in an environment file, in JSON inside a text."""
    words = tuple(names.split())
    starts = "|".join(re.escape(word) for word in words)
    pattern = f"(?:{starts})(?:{_SEPARATOR})(?:{_QUOTED}|{_BARE})"
    return Rule(Secret.NAMED_SECRET, words, re.compile(pattern), tuple(gates.split()))


RULES = (
    # Up to its end line, or, when it was cut off, as far as there are lines of base64.
    Rule(
        Secret.PRIVATE_KEY,
        ("-----BEGIN",),
        re.compile(
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:"
            r"(?:(?!-----)[A-Za-z0-9+/=\s\\:,.()-])*+-----END [A-Z0-9 ]{0,60}-----"
            r"|(?:(?:\s|\\[nr]){1,4}+[A-Za-z0-9+/=]{16,}+)++)"
        ),
    ),
    _token(Secret.ANTHROPIC_KEY, "sk-ant-", _WORD + "{16,}+", "sk-"),
    # Random characters: a digit, and a stretch that no hyphenated words would have.
    _token(
        Secret.OPENAI_KEY,
        "sk- sess-",
        rf"(?={_WORD}{{0,80}}[0-9])(?={_WORD}{{0,60}}[A-Za-z0-9]{{12}}){_WORD}{{20,}}+",
    ),
    _token(Secret.GOOGLE_KEY, "AIza", rf"{_WORD}{{35}}{_NOT_GOING_ON}"),
    _token(Secret.GOOGLE_KEY, "ya29. GOCSPX-", _WORD + "{20,}+"),
    _token(Secret.AWS_KEY, "AKIA ASIA", rf"[A-Z0-9]{{16}}{_NOT_GOING_ON}"),
    Rule(
        Secret.AZURE_KEY,
        ("AccountKey=", "SharedAccessKey="),
        re.compile(r"(?:Account|SharedAccess)Key=(?P<value>[A-Za-z0-9+/=]{20,}+)"),
    ),
    Rule(
        Secret.AZURE_KEY,
        ("?sig=", "&sig="),
        re.compile(r"[?&]sig=(?P<value>[A-Za-z0-9%+/=_-]{20,}+)"),
    ),
    _token(Secret.HUGGING_FACE_TOKEN, "hf_ api_org_", rf"[A-Za-z0-9]{{34,40}}+{_NOT_GOING_ON}"),
    _token(Secret.GITHUB_TOKEN, "ghp_ gho_ ghu_ ghs_ ghr_", "[A-Za-z0-9]{30,}+", "gh"),
    _token(Secret.GITHUB_TOKEN, "github_pat_", "[A-Za-z0-9_]{22,}+", "github_pat_"),
    _token(
        Secret.SLACK_TOKEN,
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.",
        "[A-Za-z0-9.-]{10,}+",
        "xox",
    ),
    _token(Secret.SLACK_TOKEN, "xapp-", "[A-Za-z0-9-]{10,}+"),
    Rule(
        Secret.SLACK_TOKEN,
        ("hooks.slack.com/services/",),
        re.compile(r"hooks\.slack\.com/services/(?P<value>[A-Za-z0-9/]{20,}+)"),
    ),
    # Long names in code may begin so too, but have not digits all over.
    _token(
        Secret.PROVIDER_KEY,
        "gsk_ r8_ npm_ dop_v1_",
        "(?=(?:[A-Za-z]{0,20}[0-9]){3})[A-Za-z0-9]{30,}+",
    ),
    _token(Secret.PROVIDER_KEY, "xai- nvapi- pplx- glpat- pypi-AgE tgp_v1_", _WORD + "{20,}+"),
    _token(Secret.PROVIDER_KEY, "sk_live_ rk_live_ sk_test_", "[A-Za-z0-9]{16,}+", "k_"),
    _token(Secret.PROVIDER_KEY, "SG.", rf"{_WORD}{{22}}\.{_WORD}{{43}}{_NOT_GOING_ON}"),
    _token(Secret.PROVIDER_KEY, "dapi", rf"[0-9a-f]{{32}}{_NOT_GOING_ON}"),
    _token(Secret.WEB_TOKEN, "eyJ", rf"{_WORD}{{8,}}+\.{_WORD}{{8,}}+\.{_WORD}*+"),
    Rule(
        Secret.URL_PASSWORD,
        ("://",),
        re.compile(r"""://[^\s/@:"'<>\\]{0,100}+:(?P<value>[^\s/@"'<>\\]{1,300}+)@[A-Za-z0-9\[]"""),
    ),
    Rule(
        Secret.AUTHORIZATION,
        ("uthorization", "UTHORIZATION"),
        re.compile(
            rf"(?i:uthorization){_SEPARATOR}"
            r"""(?:\\?["'])?(?:(?i:basic|bearer|token|apikey|digest)[ \t]{1,4}(?P<value>[^\s"'\\,;]{8,}+)"""
            r"""|(?P<bare>(?=[^\s"'\\0-9]{0,80}[0-9])[^\s"'\\,;]{8,}+))"""
        ),
    ),
    Rule(
        Secret.AUTHORIZATION,
        ("earer ", "EARER "),
        re.compile(
            r"(?i:earer)[ \t]{1,4}(?P<value>(?=[A-Za-z._~+/=-]{0,80}[0-9])[A-Za-z0-9._~+/=-]{16,}+)"
        ),
    ),
    Rule(
        Secret.COOKIE,
        ("ookie: ", "OOKIE: "),
        re.compile(
            r"(?i:ookie): {1,4}(?P<value>[A-Za-z0-9_.-]{1,100}+=[^\s\"'\\][^\r\n\"'\\]{3,}+)"
        ),
    ),
    _named("key Key KEY", "api_key api-key apikey apiKey Api-Key ApiKey API_KEY API-KEY APIKEY"),
    _named("key Key KEY", "secret_key secretKey SecretKey SECRET_KEY private_key privateKey"),
    _named("key Key KEY", "access_key accessKey AccessKey ACCESS_KEY"),
    _named("ecret ECRET", "client_secret clientSecret CLIENT_SECRET _SECRET"),
    _named("oken OKEN", "auth_token authToken access_token accessToken refresh_token refreshToken"),
    _named("OKEN", "_TOKEN"),
    _named("assw ASSW", "password Password PASSWORD passwd PASSWD"),
    _named("assphrase ASSPHRASE", "passphrase Passphrase PASSPHRASE"),
)
BY_GATE = {
    gate: tuple(rule for rule in RULES if gate in rule.gates)
    for gate in sorted({gate for rule in RULES for gate in rule.gates})
}
# For a short text one pattern is faster than many searches, for a long one it is the other way round.
ANY_GATE = re.compile("|".join(re.escape(gate) for gate in BY_GATE))
