"""One word for one thing, in each language that the games speak: what was replaced stays away."""

import re
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

import storeys

PACKAGE = Path(storeys.__file__).parent

WORDS: dict[str, dict[str, str]] = {
    "de": {
        # of the boxes
        r"\bSteg(e|en|s)?\b": "Brücke",
        r"Route": "Weg",
        r"(?<!Spezial)[Aa]uftr[aä]g": "Spezialauftrag",
        r"Wünsche|\bWunsch\b": "Spezialauftrag",
        # one word for one thing
        r"Bl[oö]ck": "Baustein",
        r"Protokoll": "Aufzeichnung",
        r"\bAusstattung|-Satz\b|\b(diesem|dieser|eigener|stimmiger) Satz\b": "Spielmaterial",
        r"Nachziehstapel": "Stapel",
        r"\bBrett\b|Spielbrett": "Spielplan",
        r"Hochh[aä]us": "Wolkenkratzer",
        r"Startwert": "Seed",
        r"\bReihe\b|\bReihen\b|Plättchenreihe": "Zeile, or Auslage for the open row",
        r"\b(ist|bist) dran\b": "am Zug",
        r"\b(ist|ist die Partie) vorbei\b": "zu Ende",
        r"[Oo]ffene Auslage": "Auslage",
        r"(?<!\w)-\d": "the minus sign −",
        # sentences that no German says
        r"aufgehoben": "gespeichert",
        r"Plättchen deiner Hand": "aus deiner Hand",
        r"wessen Auftrag": "welche Spezialaufträge",
        r"wähle allein": "spielst du allein, wähle",
        r"an diesem Server": "auf diesem Server",
        r"deren Punkte zusammenzählen": "die Punkte deiner Farben zählen zusammen",
        r"sechs zu vier|zu viert vier zu": "sechs Runden mit vier Bausteinen",
        r"[Mm]eisten (Punkte|Stimmen) gewinnen": "wer die meisten Punkte hat, gewinnt",
    },
    "nl": {
        # of the boxes
        r"loopbrug|[Ll]oopbruggen": "wandelpad",
        r"\b[Vv]erzoek": "speciale vereiste, or aanvraag for what a browser asks for",
        r"\b[Oo]pdracht": "speciale vereiste",
        r"[Gg]esloten route": "circuit",
        r"[Gg]ebouwen? zonder (loopbrug|wandelpad)": "solo gebouw",
        r"verdieping": "etage",
        r"\b[Tt]oren(s|tje)?\b": "wolkenkrabber",
        r"\b[Tt]elling(en)?\b": "afrekening",
        r"[Ss]corespoor": "scorelijst",
        r"[Cc]ompensatietegel": "rechtvaardigheidstegel",
        r"[Ww]indmolen": "molen",
        r"(?<!openbare )(?<!Openbare )\b[Vv]oorziening": "openbare voorziening",
        # one word for one thing
        r"\b[Bb]lok(ken)?\b": "bouwsteen",
        r"(?<!bouw)(?<!Bouw)\bstenen\b": "bouwsteen",
        r"\b(deze|kloppende|eigen) sets?\b": "spelmateriaal",
        r"\b[Rr]onden\b": "rondes",
        r"[Tt]rekstapel": "stapel",
        r"\baan zet\b": "aan de beurt",
        r"\b[Vv]ermelding": "veld",
        r"startwaarde": "seed",
        r"\btekening": "afbeelding",
        r"\bbewaard\b": "opgeslagen",
        r"\bkenmerk\b": "code",
        r"\bpartij is voorbij\b": "afgelopen",
        r"‘": "“",
        r"(?<!\w)-\d": "the minus sign −",
        # sentences that no Dutch player says
        r"als er \w+ kruisen": "als wandelpaden elkaar kruisen",
        r"kies alleen een": "als je alleen speelt",
        r"gelijkspel": "gelijke stand",
        r"delen de winst": "delen de overwinning",
        r"Gedeeld in": "de partij staat klaar in",
        r"[Mm]eeste (punten|stemmen) winnen": "wie de meeste punten heeft, wint",
    },
}
"""What must not be said again, as a pattern, and what is said instead."""

REPLACED = {
    "de": [
        "wertvollste Route: 3 Stimmen", "Stege im Vorrat", "Aufträge", "Wünsche", "Blöcke",
        "Protokoll herunterladen", "an diesem Server wird mit seiner eigenen Ausstattung gespielt",
        "wessen Auftragskarten gelten", "Die Partie ist in {path} aufgehoben.",
        "Lege ein Plättchen deiner Hand.", "wähle allein einen anderen Auftrag",
        "Wie üblich: sechs zu vier Bausteinen, zu viert vier zu sechs",
        "jeder zwei Farben, deren Punkte zusammenzählen.", "Die meisten Punkte gewinnen.",
        "-2 Stimmen für jede Brückenkreuzung",
    ],
    "nl": [
        "-2 stemmen als er loopbruggen kruisen", "kies alleen een ander verzoek", "Opdrachten",
        "Verzoeken", "Blokken", "zes van vier stenen", "gelijkspel: 3 bouwwerken in de stad",
        "{names} delen de winst.", "Gedeeld in {path}", "De meeste punten winnen.",
        "3 gesloten routes", "2 gebouwen zonder loopbrug", "een toren van 4 verdiepingen",
        "minder tellingen", "Scorespoor", "een compensatietegel", "windmolens",
        "-2 stemmen voor elke kruising",
    ],
}  # fmt: skip
"""Sentences that once stood on the pages and must be caught."""


def sentences(lang: str) -> list[tuple[str, str]]:
    """Everything that is said in a language, each with where it stands."""
    found: list[tuple[str, str]] = []
    for file in sorted(PACKAGE.rglob(f"locale/{lang}.po")):
        with file.open("rb") as opened:
            entries: Any = [entry for entry in read_po(opened, locale=lang) if entry.id]
        for entry in entries:
            texts = [entry.string] if isinstance(entry.string, str) else entry.string
            found += [(f"{file.parent.parent.name}: {entry.id}", text) for text in texts]
    for file in sorted(PACKAGE.rglob(f"help.{lang}.md")):
        plain = " ".join(file.read_text("utf-8").split())
        found += [(f"{file.parent.name}: help", text) for text in re.split(r"(?<=[.:]) ", plain)]
    return [(where, text.replace("\u00ad", "").replace("\u00a0", " ")) for where, text in found]


def unwanted(lang: str, text: str) -> list[str]:
    """What a text says that it should not, and what it should say."""
    return [
        f"“{found[0]}”: say {instead}"
        for pattern, instead in WORDS[lang].items()
        if (found := re.search(pattern, text))
    ]


@pytest.mark.parametrize("lang", WORDS)
def test_one_word_for_one_thing(lang: str) -> None:
    said = sentences(lang)
    assert len(said) > 500
    assert [(where, text, why) for where, text in said if (why := unwanted(lang, text))] == []


@pytest.mark.parametrize(("lang", "text"), [(la, t) for la, some in REPLACED.items() for t in some])
def test_what_was_replaced_would_be_seen(lang: str, text: str) -> None:
    assert unwanted(lang, text)


@pytest.mark.parametrize("lang", ["de", "nl"])
def test_nobody_is_addressed_formally(lang: str) -> None:
    formal = r"\b(Ihr|Ihre[mnrs]?|Ihnen)\b" if lang == "de" else r"\b([Uu]|[Uu]w)\b"
    assert [said for said in sentences(lang) if re.search(formal, said[1])] == []


WORDS_OF_THE_BOXES = {
    "de": ["Brücke", "Weg", "Rundweg", "Spezialauftr"],
    "nl": [
        "wandelpad", "speciale vereiste", "circuit", "solo gebouw", "etage", "wolkenkrabber",
        "afrekening", "scorelijst", "rechtvaardigheidstegel", "molen",
    ],
}  # fmt: skip


@pytest.mark.parametrize("lang", WORDS_OF_THE_BOXES)
def test_the_words_of_the_boxes_are_used(lang: str) -> None:
    everything = " ".join(text for _, text in sentences(lang)).lower()
    assert [word for word in WORDS_OF_THE_BOXES[lang] if word.lower() not in everything] == []
