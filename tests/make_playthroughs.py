"""Write the golden playthroughs: ``python -m tests.make_playthroughs``.

They are OpenSpiel's own ``generate_playthrough``, but a tensor, or any other long line, is kept as
its digest: in full they would be megabytes.
"""

import hashlib
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "playthroughs"
LONG = 400
PLAYTHROUGHS = {
    "manhattan-2": ("storeys_manhattan(players=2,tiebreak=towers,rewards=difference)", 1),
    "cloud_city-1": ("storeys_cloud_city(players=1,requests=circuits+balanced,chance=root)", 2),
    "cloud_city-2": ("storeys_cloud_city(players=2,edition=de,requests=random2)", 3),
    "neoville-1": ("storeys_neoville(players=1,utilities=bus+windmill)", 4),
}
TENSOR = re.compile(r"((?:Observation|InformationState)Tensor\(\d\))")


def playthrough(name: str) -> str:
    """One playthrough, shortened."""
    from open_spiel.python.algorithms import generate_playthrough

    import storeys.envs.openspiel  # noqa: F401 — registers the games

    game, seed = PLAYTHROUGHS[name]
    return shorten(generate_playthrough.playthrough(game, None, seed=seed))


def shorten(text: str) -> str:
    """Replace what is long by its digest: a tensor with all its planes, other lines one by one."""
    found: list[str] = []
    tensor: list[str] = []
    for line in [*text.splitlines(), ""]:
        begins = TENSOR.match(line)
        goes_on = tensor and re.match(r"[◯◉ ]|zeros|binvec", line)
        if tensor and not goes_on and not (begins and tensor[0].startswith(begins[1])):
            found.append(digest(TENSOR.match(tensor[0])[1], tensor))  # type: ignore[index]
            tensor = []
        if begins or goes_on:
            tensor.append(line)
        elif len(line) > LONG:
            found.append(digest(re.split("[:=]", line)[0].strip(), [line]))
        else:
            found.append(line)
    return "\n".join(found).rstrip() + "\n"


def digest(name: str, lines: list[str]) -> str:
    """Some lines as their length and a digest."""
    content = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
    return f"{name}: {sum(map(len, lines))} characters, sha256 {content}"


def main() -> None:
    """Write all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name in PLAYTHROUGHS:
        (FOLDER / f"{name}.txt").write_text(playthrough(name), "utf-8")


if __name__ == "__main__":
    main()
