"""While a wheel is built: compile the message catalogues into it, which are PO files in a checkout.

An editable installation reads the PO files themselves, so that a changed sentence is seen at once.
"""

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileCatalogues(BuildHookInterface[Any]):
    """Adds an MO file for every PO file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into a folder outside the sources, where nothing goes stale."""
        if version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory()
        sources = Path(self.root, "src")
        # By its path: the package itself, and what it needs, is not there while it is built.
        messages = runpy.run_path(str(sources / "storeys" / "kernel" / "messages.py"))
        for number, source in enumerate(sorted(sources.rglob("locale/*.po"))):
            compiled = Path(self.folder.name, f"{number}.mo")
            compiled.write_bytes(messages["compile_catalogue"](source))
            target = source.relative_to(sources).with_suffix(".mo")
            build_data["force_include"][str(compiled)] = target.as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled: it is in the wheel now."""
        if version != "editable":
            self.folder.cleanup()
