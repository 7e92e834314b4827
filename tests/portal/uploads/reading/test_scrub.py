"""The keys here are made up; they are put together from parts so that no scanner takes them for real ones."""

from pathlib import Path

import pytest

from portal.uploads.reading.scrub import Found, Secret, scrub

GOLDEN = Path(__file__).parents[3] / "golden"
MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7"
BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7"


@pytest.mark.parametrize(
    ("kind", "secret"),
    [
        (Secret.OPENAI_KEY, "sk-" + MIXED),
        (Secret.OPENAI_KEY, "sk-proj-" + MIXED + "_x-" + MIXED),
        (Secret.OPENAI_KEY, "sk-or-v1-" + "0123456789abcdef" * 4),
        (Secret.ANTHROPIC_KEY, "sk-ant-" + "api03-" + MIXED + "-AA"),
        (Secret.GOOGLE_KEY, "AIza" + "SyA1b2C3d4E5f6G7h8I9j0K-l_m2N3o4P5q"),
        (Secret.GOOGLE_KEY, "ya29." + MIXED),
        (Secret.GOOGLE_KEY, "GOCSPX-" + MIXED),
        (Secret.AWS_KEY, "AKIA" + "ABCDEFGH23456789"),
        (Secret.AWS_KEY, "ASIA" + "ABCDEFGH23456789"),
        (Secret.HUGGING_FACE_TOKEN, "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh"),
        (Secret.GITHUB_TOKEN, "ghp_" + MIXED + MIXED[:9]),
        (Secret.GITHUB_TOKEN, "github_pat_" + MIXED + "_" + MIXED),
        (Secret.SLACK_TOKEN, "xoxb-" + "123456789012-" + MIXED),
        (Secret.SLACK_TOKEN, "xapp-" + "1-A0123-" + MIXED),
        (Secret.PROVIDER_KEY, "gsk_" + MIXED + MIXED),
        (Secret.PROVIDER_KEY, "xai-" + MIXED),
        (Secret.PROVIDER_KEY, "nvapi-" + MIXED),
        (Secret.PROVIDER_KEY, "sk_live_" + MIXED),
        (Secret.PROVIDER_KEY, "dapi" + "0123456789abcdef" * 2),
        (Secret.PROVIDER_KEY, "SG." + MIXED[:22] + "." + MIXED + MIXED[:16]),
        (
            Secret.WEB_TOKEN,
            "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0In0.dozjgNryP4J3jVmN",
        ),
        (
            Secret.PRIVATE_KEY,
            "-----BEGIN " + f"PRIVATE KEY-----\n{BASE64}\nAB==\n-----END PRIVATE KEY-----",
        ),
        (
            Secret.PRIVATE_KEY,
            f"-----BEGIN OPENSSH PRIVATE KEY-----\\n{BASE64}\\n-----END OPENSSH PRIVATE KEY-----",
        ),
        (Secret.PRIVATE_KEY, "-----BEGIN " + f"RSA PRIVATE KEY-----\n{BASE64}\n{BASE64}"),
    ],
)
@pytest.mark.parametrize(
    "around",
    [("", ""), ("key: ", "\nnext"), ('{"k": "', '"}'), ("(é ", ")"), ("x=", ";"), (r"\n", r"\n")],
)
def test_a_key_is_taken_out_whole_wherever_it_stands(
    kind: Secret, secret: str, around: tuple[str, str]
) -> None:
    before, after = around

    scrubbed = scrub(before + secret + after)

    assert scrubbed.text == f"{before}[scrubbed:{kind}]{after}"
    assert scrubbed.found == (Found(kind, "line 1"),)
    assert scrubbed.total == 1
    assert scrubbed.changed


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Authorization: Bearer " + MIXED, "Authorization: Bearer [scrubbed:authorization]"),
        ("authorization: basic dXNlcjpwYXNz", "authorization: basic [scrubbed:authorization]"),
        (
            "-H 'Authorization: token abcdefgh'",
            "-H 'Authorization: token [scrubbed:authorization]'",
        ),
        ('"Authorization": "a1b2c3d4e5"', '"Authorization": "[scrubbed:authorization]"'),
        (
            r"{\"authorization\": \"Bearer a1b2c3d4e5\"}",
            r"{\"authorization\": \"Bearer [scrubbed:authorization]\"}",
        ),
        ("bearer " + MIXED + ".", "bearer [scrubbed:authorization]"),
        ("redis://:hunter2@db:6379/0", "redis://:[scrubbed:url_password]@db:6379/0"),
        ("https://me:p%40ss@host/x", "https://me:[scrubbed:url_password]@host/x"),
        (
            "AccountName=a;AccountKey=" + BASE64 + "==;",
            "AccountName=a;AccountKey=[scrubbed:azure_key];",
        ),
        (
            "https://a.blob/x?sv=1&sig=" + "a1B2c3D4e5F6g7H8i9J0k%3D",
            "https://a.blob/x?sv=1&sig=[scrubbed:azure_key]",
        ),
        ("Cookie: session=abc123; b=2\nnext", "Cookie: [scrubbed:cookie]\nnext"),
        ("set-cookie: id=abcdef", "set-cookie: [scrubbed:cookie]"),
        ("export OPENAI_API_KEY=" + MIXED, "export OPENAI_API_KEY=[scrubbed:named_secret]"),
        ("WANDB_API_KEY=" + "0123456789abcdef0123", "WANDB_API_KEY=[scrubbed:named_secret]"),
        ("HF_TOKEN: " + MIXED, "HF_TOKEN: [scrubbed:named_secret]"),
        ('api_key="short1"', 'api_key="[scrubbed:named_secret]"'),
        ("password = 'correct-horse'", "password = '[scrubbed:named_secret]'"),
        ('{"api_key": "abcdef"}', '{"api_key": "[scrubbed:named_secret]"}'),
        (r"{\"apiKey\": \"abcdef\"}", r"{\"apiKey\": \"[scrubbed:named_secret]\"}"),
        ("x-api-key: " + MIXED, "x-api-key: [scrubbed:named_secret]"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY",
            "aws_secret_access_key = [scrubbed:named_secret]",
        ),
    ],
)
def test_a_value_is_taken_out_where_its_name_tells_what_it_is(text: str, left: str) -> None:
    assert scrub(text).text == left


def test_several_secrets_are_counted_and_located_by_line() -> None:
    text = f"one\nxai-{MIXED} two\n\n-----BEGIN PRIVATE KEY-----\n{BASE64}\n-----END PRIVATE KEY-----\nhf={MIXED}\nnvapi-{MIXED}"

    scrubbed = scrub(text)

    assert scrubbed.found == (
        Found(Secret.PROVIDER_KEY, "line 2"),
        Found(Secret.PRIVATE_KEY, "line 4"),
        Found(Secret.PROVIDER_KEY, "line 8"),
    )
    assert scrubbed.total == 3


def test_where_two_rules_meet_the_secret_is_one_and_has_the_most_telling_name() -> None:
    scrubbed = scrub(f'"Authorization": "Bearer sk-{MIXED}"')

    assert scrubbed.text == '"Authorization": "Bearer [scrubbed:openai_key]"'
    assert scrubbed.total == 1


def test_a_hundred_places_are_named_and_all_are_counted() -> None:
    scrubbed = scrub(f"xai-{MIXED}\n" * 250)

    assert scrubbed.text == "[scrubbed:provider_key]\n" * 250
    assert len(scrubbed.found) == 100
    assert scrubbed.total == 250


def test_what_was_scrubbed_once_is_left_alone_the_second_time() -> None:
    once = scrub(f"api_key='{MIXED}' Bearer {MIXED} redis://a:b2@c Cookie: a=bcde\nsk-{MIXED}")

    assert once.total == 5
    assert not scrub(once.text).changed


@pytest.mark.parametrize(
    "text",
    [
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "94920358-01a8-4c5b-9209-3103fd490e94",
        "kernel_sha256=9f86d081884c7d659a2feaa0c55ad015",
        "f0VMRgIBAUEHAAAAAAAAAAIAvgB4AAAAeyJhIjoxfQ==" * 20,
        "sk-learn is a library; task-oriented-programming-in-2024 and disk-based-key-value-stores-v2",
        "const int num_tokens = 4096; float token_scale[MAX_TOKENS]; int next_token = tokens[i + 1];",
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16",
        "__global__ void hf_computeAttentionForwardWithWarpSpecialisation128(float* a)",
        "gsk_gemmKernelWithPersistentSchedulerAndTmaStore<128>(a)",
        "#define ACCESS_KEY(i) keys[i]",
        "key = os.environ['OPENAI_API_KEY']",
        "api_key = load_key_from_file_number_2(path)",
        'api_key="EMPTY"',
        '"api_key": "REDACTED"',
        '"api_key": "<your key here>"',
        "Authorization: Bearer $OPENAI_API_KEY",
        "Authorization: Bearer <token>",
        "export HF_TOKEN=${HF_TOKEN}",
        "the bearer token authentication of the provider",
        "http://svc:10000/path and postgres://user:password@localhost/db",
        "see https://example.org/a@b and mailto:a@b.c",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "never print -----BEGIN PRIVATE KEY----- blocks of text in an answer",
        "password must not be empty; the secret of speed",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert scrub(text).text == text


def test_no_golden_kernel_is_changed() -> None:
    kernels = [*GOLDEN.rglob("*.cu"), *GOLDEN.rglob("*.py")]

    assert len(kernels) > 50
    assert [kernel for kernel in kernels if scrub(kernel.read_text()).changed] == []


@pytest.mark.parametrize(
    "unit",
    [
        "sk-",
        "eyJ",
        "eyJaaaaaaaa.",
        "://a:",
        "://",
        "api_key=a",
        'password="a',
        "access_key=a1",
        "Authorization: ",
        "bearer a",
        "Cookie: a",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\n" + "A" * 16,
        "-----BEGIN " + " " * 40,
        "xoxb-",
        "SG." + "a" * 22,
        "A1" * 20,
        "é sk-ant-",
    ],
)
def test_a_megabyte_made_to_slow_patterns_down_is_scrubbed_in_a_moment(unit: str) -> None:
    # About a second on a busy machine; a pattern that goes back over what it read would take hours.
    scrubbed = scrub(unit * (1_000_000 // len(unit)))

    assert len(scrubbed.found) <= 100
