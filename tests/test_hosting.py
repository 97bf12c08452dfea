"""What the hosting guide and the container file say is so."""

import dataclasses
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from storeys.cli.serving import NOTE
from storeys.web.limits import SETTING, Limits
from storeys.web.people import LASTS

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "hosting.md").read_text("utf-8")
SECURITY = (ROOT / "docs" / "security.md").read_text("utf-8")
CONTAINER = (ROOT / "Containerfile").read_text("utf-8")


def block(kind: str) -> str:
    """An example of the guide."""
    (found,) = re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)
    return str(found)


def test_the_container_file_copies_what_there_is() -> None:
    copied = [
        source
        for line in re.findall(r"^COPY (?!--from)(.*)$", CONTAINER, re.MULTILINE)
        for source in line.split()[:-1]
    ]
    assert "pyproject.toml" in copied
    assert [source for source in copied if not (ROOT / source).exists()] == []
    built_with = (ROOT / "pyproject.toml").read_text("utf-8")
    for needed in re.findall(r'^(?:path|readme) = "(.*)"$', built_with, re.MULTILINE):
        assert needed in copied


@pytest.mark.parametrize("text", [CONTAINER, block("ini")], ids=["container", "systemd"])
def test_the_server_is_started_with_options_that_it_has(text: str) -> None:
    (start,) = re.findall(r"^(?:CMD|ExecStart=).*storeys.*$", text, re.MULTILINE)
    source = (ROOT / "src" / "storeys" / "cli" / "serving.py").read_text("utf-8")
    options = re.findall(r"--([a-z]+)", start)
    assert "database" in options
    assert [one for one in options if not re.search(rf"^    {one}: ", source, re.MULTILINE)] == []


def test_every_setting_in_the_environment_is_in_the_guide() -> None:
    sources = "\n".join(file.read_text("utf-8") for file in (ROOT / "src").rglob("*.py"))
    known = set(re.findall(r'"(STOREYS_(?!OF)[A-Z_]+)"', sources)) - {NOTE}
    # docs/web.md has those of limits.
    known -= {f"{SETTING}{one.name.upper()}" for one in dataclasses.fields(Limits)}
    told = set(re.findall(r"^\| `(STOREYS_[A-Z_]+)`", GUIDE, re.MULTILINE))
    assert told == known


def test_how_long_a_phrase_lasts_is_told() -> None:
    assert f"within {LASTS / 86400:.0f} days" in SECURITY


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd here")
def test_systemd_reads_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "storeys.service"
    unit.write_text(block("ini").replace("/opt/storeys/bin/storeys", "/bin/true"), "utf-8")
    command = ["systemd-analyze", "verify", str(unit)]
    read = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (read.returncode, read.stderr) == (0, "")
