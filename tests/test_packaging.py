"""What is given away: the sdist has all that its tests read, and the wheel plays by itself."""

import gettext
import json
import os
import socket
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, ClassVar
from urllib.request import HTTPCookieProcessor, Request, build_opener

import pytest

import storeys
from storeys.kernel.messages import Message, compile_catalogue
from storeys.registry import get_game

ROOT = Path(__file__).parent.parent
PATIENCE = 300
CLEAN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")} | {
    "STOREYS_UNCOMPILED": "1",  # It plays a match or two.
    "COLUMNS": "100",
}


def run(*words: str | Path, folder: Path | None = None, env: dict[str, str] = CLEAN) -> str:
    """What a command prints."""
    child = subprocess.run(
        [*map(str, words)], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stdout + child.stderr
    return child.stdout


def build(kind: str, into: Path) -> Path:
    """An sdist or a wheel of this tree, made by the backend that pip calls, without a network."""
    run(sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", into, folder=ROOT)
    [made] = into.iterdir()
    return made


def kept_in_git() -> list[str]:
    """The files of the project; where it is no checkout, nobody can tell."""
    asked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if asked.returncode:
        pytest.skip("this tree is no checkout of Git")
    return [name for name in asked.stdout.splitlines() if (ROOT / name).exists()]


def test_the_sdist_has_every_file_of_the_project(tmp_path: Path) -> None:
    files = kept_in_git()
    with tarfile.open(build("sdist", tmp_path)) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert [name for name in files if name not in inside] == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    """Sentences are there compiled, and only so."""
    files = [Path(name) for name in kept_in_git() if name.startswith("src/")]
    files = [file.with_suffix(".mo") if file.suffix == ".po" else file for file in files]
    inside = zipfile.ZipFile(wheel).namelist()
    assert [str(f) for f in files if f.relative_to("src").as_posix() not in inside] == []
    assert [name for name in inside if name.endswith(".po")] == []


def test_the_wheel_says_what_the_sources_say(wheel: Path) -> None:
    sources = sorted((ROOT / "src").rglob("locale/*.po"))
    assert sources
    archive = zipfile.ZipFile(wheel)
    for source in sources:
        compiled = source.relative_to(ROOT / "src").with_suffix(".mo").as_posix()
        assert archive.read(compiled) == compile_catalogue(source)
        assert gettext.GNUTranslations(archive.open(compiled)).gettext("") != ""


# --- installed


class Installed:
    """A virtual environment with the wheel; what it needs is borrowed from the running one."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder, self.bin = folder, folder / "env" / "bin"
        run(sys.executable, "-m", "venv", "--without-pip", folder / "env")
        python = self.bin / "python"
        pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", python)
        run(*pip, "install", "--quiet", "--no-index", "--no-deps", wheel)
        site = Path(run(python, "-c", "import site; print(site.getsitepackages()[0])").strip())
        # A path in a .pth file is only added: an editable installation behind it stays unknown.
        borrowed = [path for path in sys.path if Path(path).name.endswith("-packages")]
        (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", "utf-8")
        found = run(python, "-c", "import storeys; print(storeys.__file__)", folder=folder)
        assert Path(found.strip()).is_relative_to(site)

    def storeys(self, *words: str | Path) -> str:
        """What the command prints."""
        return run(self.bin / "storeys", *words, folder=self.folder)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed(tmp_path_factory.mktemp("installed"), wheel)


def test_it_plays_at_the_command_line(installed: Installed) -> None:
    for name in storeys.game_names():
        file = installed.folder / f"{name}.json"
        words = ("play", name, "--players", "2", "--humans", "0", "--seed", "3", "--lang", "de")
        screen = installed.storeys(*words, "--save", file)
        assert " gewinnt." in screen or "teilen sich den Sieg" in screen
        record = json.loads(file.read_text("utf-8"))
        assert storeys.load(record).to_move is None
    installed.storeys("draw", file, "--view", "skyline", "-o", installed.folder / "end.svg")
    assert "</svg>" in (installed.folder / "end.svg").read_text("utf-8")


class Browser:
    """A server of the installed package, and who asks it, in Dutch."""

    headers: ClassVar = {"Content-Type": "application/json", "Accept-Language": "nl"}

    def __init__(self, installed: Installed) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
        self.url = f"http://127.0.0.1:{port}"
        self.opener = build_opener(HTTPCookieProcessor(CookieJar()))
        self.said = (installed.folder / "stderr").open("w+")
        database = f"sqlite:///{installed.folder / 'web.db'}"
        command = [str(installed.bin / "storeys"), "serve", "--port", str(port), "--workers", "1"]
        command += ["--pace", "0", "--database", database]
        self.process = subprocess.Popen(
            command, cwd=installed.folder, env=CLEAN, stdout=subprocess.DEVNULL, stderr=self.said
        )

    def ask(self, path: str, content: Any = None) -> str:
        """GET, or POST with a content."""
        data = None if content is None else json.dumps(content).encode()
        request = Request(self.url + path, data, self.headers)
        with self.opener.open(request, timeout=PATIENCE) as answer:
            return str(answer.read().decode())

    def wait(self) -> None:
        """Until it answers."""
        patience = time.monotonic() + PATIENCE
        while not self.answers():
            assert self.process.poll() is None, self.errors()
            assert time.monotonic() < patience
            time.sleep(0.1)

    def answers(self) -> bool:
        try:
            return self.ask("/healthz") == "ok"
        except OSError:
            return False

    def errors(self) -> str:
        self.said.seek(0)
        return self.said.read()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.said.close()


@pytest.fixture
def browser(installed: Installed) -> Iterator[Browser]:
    made = Browser(installed)
    try:
        made.wait()
        yield made
    finally:
        made.stop()


def test_it_plays_over_http(browser: Browser) -> None:
    wanted = {"game": "cloud-city", "seats": [{"kind": "me"}]}
    table = json.loads(browser.ask("/api/tables", wanted))["table"]
    for made in range(10_000):
        state = json.loads(browser.ask(f"/api/tables/{table}"))
        if state["status"] == "over":
            break
        event = {"kind": "move", "seat": state["to_move"], "move": state["choices"][0]["move"]}
        event |= {"seq": state["seq"], "id": f"move number {made}"}
        browser.ask(f"/api/tables/{table}/events", event)
    assert state["winners"]
    record = json.loads(browser.ask(f"/api/tables/{table}/record"))
    assert len(storeys.load(record).moves) == made
    pages = {
        "/": get_game("cloud-city").summary.text("nl"),
        f"/t/{table}": "/static/match.js",
        "/static/match.js": "import",
        "/rules/neoville": Message("neoville.title").text("nl"),
        "/pictures/manhattan/dark.svg": "</svg>",
    }
    for page, shown in pages.items():
        assert shown in browser.ask(page)
    assert "Traceback" not in browser.errors()
