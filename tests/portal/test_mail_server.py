"""The mail server that an address names."""

import pytest

from portal.mail import MailServer, mail_server


def test_every_part_of_the_address_has_its_place() -> None:
    assert mail_server("smtp+starttls://ada%40x:p%2Fw@mail.example:2525") == MailServer(
        host="mail.example", port=2525, user="ada@x", password="p/w", starttls=True, tls=False
    )


@pytest.mark.parametrize(("scheme", "port"), [("smtp", 25), ("smtp+starttls", 587), ("smtps", 465)])
def test_a_server_without_a_port_has_the_usual_one(scheme: str, port: int) -> None:
    assert mail_server(f"{scheme}://mail.example").port == port


@pytest.mark.parametrize(
    "url", ["mail.example", "http://mail.example", "smtp://", "smtp://h/path", "smtp://h:x"]
)
def test_an_address_that_names_no_mail_server_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"begins with none|is named as|its port"):
        mail_server(url)
