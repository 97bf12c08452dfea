"""Ask whether a version that the project is tested with has a known fault: `make audit`.

pip-audit asks the registry.  Where that cannot be asked, one line says so, and nothing fails.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SECONDS = 60
ROOT = Path(__file__).parent.parent
ASKING = [
    sys.executable, "-m", "pip_audit", "--requirement", "constraints.txt", "--no-deps",
    "--disable-pip", "--progress-spinner", "off", "--timeout", "5", "--format", "json",
]  # fmt: skip


def main() -> int:
    """Print what is known; 1 if that is a fault."""
    try:
        asked = subprocess.run(
            ASKING, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        asked = None
    lines, faulty = findings(asked.stdout if asked else "")
    print(*lines, sep="\n")
    return int(faulty)


def findings(answer: str) -> tuple[list[str], bool]:
    """What pip-audit's answer says in lines, and whether something is wrong.

    >>> findings('{"dependencies": [{"name": "a", "version": "1", "vulns": []}]}')
    (['No known fault in 1 package'], False)
    """
    try:
        packages: list[dict[str, Any]] = json.loads(answer)["dependencies"]
    except (ValueError, KeyError, TypeError):
        packages = []
    asked = [one for one in packages if "skip_reason" not in one]
    if not asked:
        return ["The packages are not audited: pip-audit or what it asks cannot be reached"], False
    faults = [
        f"{one['name']} {one['version']}: {fault['id']}"
        + (f", mended in {', '.join(fault['fix_versions'])}" if fault["fix_versions"] else "")
        for one in asked
        for fault in one["vulns"]
    ]
    many = f"{len(asked)} package{'s' if len(asked) != 1 else ''}"
    left = len(packages) - len(asked)
    unknown = f" ({left} not known there)" if left else ""
    return faults or [f"No known fault in {many}{unknown}"], bool(faults)


if __name__ == "__main__":
    sys.exit(main())
