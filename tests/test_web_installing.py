"""What makes an app of the pages: manifest, icons, a service worker of one version of the files."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from storeys.web import versions
from storeys.web.app import create_app
from storeys.web.versions import files, version_of_files


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(f"sqlite:///{tmp_path / 'web.db'}", workers=0)) as client:
        yield client


def test_the_manifest_names_icons_that_there_are(browser: TestClient) -> None:
    answer = browser.get("/manifest.webmanifest", headers={"accept-language": "nl"})
    assert answer.headers["content-type"] == "application/manifest+json"
    content = answer.json()
    assert content["lang"] == "nl"
    for icon in content["icons"]:
        png = browser.get(icon["src"]).content
        wide, high = (int.from_bytes(png[at : at + 4]) for at in (16, 20))
        assert f"{wide}x{high}" == icon["sizes"]
    assert browser.get("/icons/99999.png").status_code == 404


def test_every_page_and_answer_says_the_version_of_the_files(browser: TestClient) -> None:
    page = browser.get("/")
    assert f'<meta name="files" content="{version_of_files()}">' in page.text
    assert page.headers["storeys-files"] == version_of_files()
    assert browser.get("/api/games").headers["storeys-files"] == version_of_files()


def test_the_worker_keeps_files_that_there_are_under_their_version(browser: TestClient) -> None:
    answer = browser.get("/sw.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert f'const VERSION = "{version_of_files()}";' in answer.text
    found = re.search(r"^const FILES = (.*);$", answer.text, re.MULTILINE)
    assert found is not None
    kept = json.loads(found[1])
    assert {"/static/match.js", "/static/icons.svg", "/static/fonts/archivo.woff2"} <= set(kept)
    assert [file for file in kept if browser.get(file).status_code != 200] == []
    assert browser.get("/away").status_code == 200


def test_another_script_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "a.js").write_text("1")
    monkeypatch.setattr(versions, "STATIC", folder)
    seen = []
    for content in ("1", "2", "2"):
        (folder / "a.js").write_text(content)
        version_of_files.cache_clear()
        seen.append(version_of_files())
    monkeypatch.undo()
    version_of_files.cache_clear()
    files.cache_clear()
    assert seen[0] != seen[1] == seen[2]
