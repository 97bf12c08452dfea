"""One server, one Chromium and one folder of screenshots for the tests of this folder."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

pytest.register_assert_rewrite("tests.browser.helpers")

from tests.browser.helpers import (  # noqa: E402
    HOST_TOKEN,
    MUST_RUN,
    PATIENCE,
    Finished,
    Server,
    finish,
    open_page,
)
from tests.chromium import CHROMIUM, WHY_NOT  # noqa: E402

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    environment = {**os.environ, "STOREYS_ADMIN_TOKEN": HOST_TOKEN}
    made = Server(tmp_path_factory.mktemp("browser"), environment)
    made.start()
    yield made
    made.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        (pytest.fail if MUST_RUN else pytest.skip)(WHY_NOT)
    flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=CHROMIUM, args=flags)


@pytest.fixture(scope="session")
def finished(server: Server, browser: Browser) -> Finished:
    page = open_page(browser, server.url)
    table = finish(page, server, "neoville")
    return Finished(server, table, page.context.storage_state())


@pytest.fixture(autouse=True)
def no_pages_left_open(browser: Browser) -> Iterator[None]:
    """Close the pages of a test, which would go on listening and drawing."""
    yield
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="session")
def shots() -> Path:
    """Where the run keeps its screenshots, for looking at."""
    folder = Path(os.environ.get("STOREYS_SCREENSHOTS", ".screenshots"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole matches first: begun last, one of them would keep all others waiting for its end."""
    items.sort(key=lambda item: "whole_match" not in item.name)
