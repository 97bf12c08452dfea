"""The fourth game on its page: set up, seen, played by hand, to its end."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.helpers import (
    Server,
    new_table,
    no_errors,
    open_page,
    play_to_the_end,
)
from tests.browser.motion import WATCH
from tests.example_games import environment, found

(NAME,) = found()


@pytest.fixture(scope="module")
def its_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("example")
    made = Server(folder, environment(NAME, folder / "site") | {"STOREYS_UNCOMPILED": "1"})
    made.start()
    yield made
    made.kill()


def test_a_match_of_the_fourth_game(its_server: Server, browser: Browser, shots: Path) -> None:
    """Uncompiled, so that nothing else has to be compiled for it."""
    page = open_page(browser, its_server.url, moves=True)
    page.add_init_script(WATCH)
    expect(page.get_by_role("heading", name="Girder Lane")).to_be_visible()
    page.goto(f"{its_server.url}/rules/{NAME}")
    expect(page.locator("main")).to_contain_text("G-11")
    seats = [{"kind": "me", "name": "Ada"}, {"kind": "bot", "bot": "random"}]
    table = new_table(page, its_server, NAME, seats)
    page.goto(f"{its_server.url}/t/{table}")
    page.wait_for_selector(".can")
    page.screenshot(path=shots / "example-start.png")
    play_to_the_end(page)
    assert {"travels", "points"} <= set(page.evaluate("moved"))
    page.screenshot(path=shots / "example-end.png")
    no_errors(page)
