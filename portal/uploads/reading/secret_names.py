"""Names in JSON whose value is a secret, whatever it looks like."""

from portal.uploads.reading.scrub import Secret

_JOINTS = str.maketrans("", "", "-_ .")
_SECRETS = frozenset(
    {
        "accountkey",
        "apikey",
        "auth",
        "authkey",
        "authorization",
        "bearer",
        "clientsecret",
        "connectionstring",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "csrftoken",
        "idtoken",
        "passphrase",
        "passwd",
        "password",
        "privatekey",
        "proxyauthorization",
        "refreshtoken",
        "sastoken",
        "secret",
        "secretkey",
        "secrets",
        "secretaccesskey",
        "sessionkey",
        "sessiontoken",
        "setcookie",
        "token",
        "xapikey",
        "xauthtoken",
    }
)
_ENDINGS = (
    "apikey",
    "accesskey",
    "accesskeyid",
    "secretkey",
    "authtoken",
    "accesstoken",
    "bearertoken",
    "password",
    "passwd",
    "passphrase",
    "clientsecret",
    "privatekey",
    "_token",
    "_secret",
)
# Words of tokenisers and of pages of results, which are no secrets.
_OTHER_TOKENS = frozenset(
    {
        "bos",
        "begin",
        "cls",
        "continuation",
        "end",
        "eos",
        "first",
        "image",
        "last",
        "mask",
        "max",
        "next",
        "num",
        "page",
        "pad",
        "prev",
        "sep",
        "special",
        "start",
        "stop",
        "unk",
    }
)
_KINDS = {
    "authorization": Secret.AUTHORIZATION,
    "proxyauthorization": Secret.AUTHORIZATION,
    "cookie": Secret.COOKIE,
    "cookies": Secret.COOKIE,
    "setcookie": Secret.COOKIE,
    "privatekey": Secret.PRIVATE_KEY,
}
_LONGEST = 100


def secret_named(name: str) -> Secret | None:
    """The kind of secret that a value of this name is, or None."""
    if len(name) > _LONGEST:
        return None
    lower = name.lower()
    joined = lower.translate(_JOINTS)
    if joined in _SECRETS or joined.endswith(_ENDINGS) or lower.endswith(_ENDINGS):
        if lower.endswith("_token") and lower.removesuffix("_token") in _OTHER_TOKENS:
            return None
        return _KINDS.get(joined, Secret.NAMED_SECRET)
    return None


def is_about_text(name: str) -> bool:
    """Whether ``token`` below this name is a piece of generated text, as providers report probabilities."""
    return "logprob" in name.lower() or name.lower() == "tokens"


def may_be_a_number(name: str) -> bool:
    """Whether a number of this name is a secret; a token that is a number is a count or a word of a tokeniser."""
    return not name.lower().endswith("token")
