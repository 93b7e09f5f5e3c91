"""Headers without what would let whoever reads them act as the user."""

from __future__ import annotations

import pytest

from pagelens.response.formatters.headers import header_lines, is_secret, redacted


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        (
            "Cookie",
            "a=1; sid=abc=def; flag",
            "a=(redacted, 1 characters); sid=(redacted, 7 characters); (redacted, 4 characters)",
        ),
        (
            "set-cookie",
            "sid=abc; Path=/; HttpOnly\nb=; Secure",
            "sid=(redacted, 3 characters); Path=/; HttpOnly\nb=(redacted, 0 characters); Secure",
        ),
        ("Authorization", "Bearer abc.def", "Bearer (redacted, 7 characters)"),
        ("Proxy-Authorization", "token", "(redacted, 5 characters)"),
        ("X-CSRF-Token", "abc", "(redacted, 3 characters)"),
        ("x-amz-security-token", "abc", "(redacted, 3 characters)"),
        ("X-Api-Key", "abc", "(redacted, 3 characters)"),
        ("Content-Type", "text/html", "text/html"),
        ("ETag", '"abc"', '"abc"'),
    ],
)
def test_values(name: str, value: str, shown: str) -> None:
    assert redacted(name, value) == shown
    assert is_secret(name) == (value != shown)


def test_one_line_for_each_time_it_came() -> None:
    assert header_lines({"Set-Cookie": "a=1\nb=2", "X": "v\r\n ## forged"}) == [
        "  Set-Cookie: a=1",
        "  Set-Cookie: b=2",
        "  X: v",
        "  X: ## forged",
    ]
