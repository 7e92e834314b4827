import io
import json

import pytest

from portal.uploads.reading.limits import Limits
from portal.uploads.reading.refused import Refused
from portal.uploads.reading.scrub import Found, Secret
from portal.uploads.reading.scrub_json import ScrubbedDocument, scrub_json

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"


def scrubbed(text: str, limits: Limits | None = None) -> tuple[str, ScrubbedDocument]:
    out = io.BytesIO()
    said = scrub_json(io.BytesIO(text.encode()), out, limits or Limits(), "exp_000.json")
    return out.getvalue().decode(), said


def test_a_document_without_secrets_is_copied_value_for_value() -> None:
    text = r'{ "a": [1, -2.50e3, true, null, {}, []], "é": "x\n\"\u00e9 — 😀\\", "z": {"b": "c"} }'

    copy, said = scrubbed(text)

    assert copy == r'{"a":[1,-2.50e3,true,null,{},[]],"é":"x\n\"\u00e9 — 😀\\","z":{"b":"c"}}'
    assert said == ScrubbedDocument((), 0)


@pytest.mark.parametrize("text", ['"text"', "1", "null", "[]", "{}", '[["a"],["b",{"c":[1,2]}]]'])
def test_any_shape_is_copied(text: str) -> None:
    assert scrubbed(text)[0] == text


def test_values_of_secret_names_are_taken_out_whatever_they_look_like() -> None:
    text = """{"info": {"config": {"model": {"model_name": "m", "model_kwargs": {"drop_params": true, "api_key": "x"}},
        "environment": {"env": {"HF_TOKEN": "abc", "PATH": "/bin", "DB_PASSWORD": 12345}}}},
        "headers": [{"X-Api-Key": "k"}, {"Cookie": "a=b"}, {"authorization": "Digest q"}],
        "secrets": {"one": ["a", {"two": "b"}], "none": null, "empty": ""}}"""

    copy, said = scrubbed(text)

    assert json.loads(copy) == {
        "info": {
            "config": {
                "model": {
                    "model_name": "m",
                    "model_kwargs": {"drop_params": True, "api_key": "[scrubbed:named_secret]"},
                },
                "environment": {
                    "env": {
                        "HF_TOKEN": "[scrubbed:named_secret]",
                        "PATH": "/bin",
                        "DB_PASSWORD": "[scrubbed:named_secret]",
                    }
                },
            }
        },
        "headers": [
            {"X-Api-Key": "[scrubbed:named_secret]"},
            {"Cookie": "[scrubbed:cookie]"},
            {"authorization": "[scrubbed:authorization]"},
        ],
        "secrets": {
            "one": ["[scrubbed:named_secret]", {"two": "[scrubbed:named_secret]"}],
            "none": None,
            "empty": "",
        },
    }
    assert said.total == 8
    assert [one.where for one in said.found] == [
        "info.config.model.model_kwargs.api_key",
        "info.config.environment.env.HF_TOKEN",
        "info.config.environment.env.DB_PASSWORD",
        "headers[0].X-Api-Key",
        "headers[1].Cookie",
        "headers[2].authorization",
        "secrets.one[0]",
        "secrets.one[1].two",
    ]


def test_secrets_inside_texts_and_keys_are_taken_out_too() -> None:
    text = json.dumps({"messages": [{"content": f"line\nsk-{MIXED} é"}], f"xai-{MIXED}": 1})

    copy, said = scrubbed(text)

    assert json.loads(copy) == {
        "messages": [{"content": "line\n[scrubbed:openai_key] é"}],
        "[scrubbed:provider_key]#2": 1,
    }
    assert said == ScrubbedDocument(
        (
            Found(Secret.OPENAI_KEY, "messages[0].content"),
            Found(Secret.PROVIDER_KEY, "[scrubbed:provider_key]#2"),
        ),
        2,
    )


def test_a_secret_written_with_escapes_is_found() -> None:
    copy, _ = scrubbed('{"a": "\\n\\u0073k-' + MIXED + '"}')

    assert copy == '{"a":"\\n[scrubbed:openai_key]"}'


def test_tokens_of_language_are_no_secrets() -> None:
    text = (
        '{"usage":{"prompt_tokens":25000,"max_token":1},"eos_token":"<|end|>","pad_token":"PAD",'
        '"logprobs":{"content":[{"token":"hello","logprob":-0.5,"top_logprobs":[{"token":"hi"}]}]},'
        '"token":{"text":"hello"},"tokens":[{"token":"there"}],"session_id":"demo-1234"}'
    )

    assert scrubbed(text) == (text, ScrubbedDocument((), 0))


def test_a_token_that_is_a_text_is_a_secret() -> None:
    assert scrubbed('{"auth":{"token":"abc"}}')[0] == '{"auth":{"token":"[scrubbed:named_secret]"}}'
    assert scrubbed('{"token":"abc"}')[0] == '{"token":"[scrubbed:named_secret]"}'
    assert scrubbed('{"token":1234}')[0] == '{"token":1234}'


def test_what_was_scrubbed_once_is_left_alone_the_second_time() -> None:
    once, said = scrubbed(json.dumps({"password": "x", "a": f"Bearer {MIXED}"}))

    assert said.total == 2
    assert scrubbed(once) == (once, ScrubbedDocument((), 0))


def test_a_document_that_is_refused_anywhere_is_refused() -> None:
    with pytest.raises(Refused, match=r"exp_000\.json: has the same key twice"):
        scrubbed('{"a": 1, "a": 2}')


def test_more_secrets_than_anybody_has_are_refused() -> None:
    text = json.dumps([f"xai-{MIXED}"] * 3)

    assert scrubbed(text, Limits(secrets=3))[1].total == 3
    with pytest.raises(Refused, match="has more than 2 secrets"):
        scrubbed(text, Limits(secrets=2))
