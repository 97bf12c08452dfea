"""Phrases that can be said, typed and mailed: made-up words that are easy in every language.

A word is consonant, vowel, consonant, vowel, consonant (a "proquint"): 16 bits, e.g. ``lusab``.
"""

import hashlib
import re
import secrets

CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aiou"
SHAPE = (CONSONANTS, VOWELS, CONSONANTS, VOWELS, CONSONANTS)
WORDS = 5
"""80 bits: nobody finds one of them by trying, in the month that it lasts."""


def new_phrase() -> str:
    """A phrase that nobody can guess."""
    return "-".join("".join(map(secrets.choice, SHAPE)) for _ in range(WORDS))


def digest_of_phrase(typed: str) -> str:
    """What is kept of a phrase; capitals and what stands between its words do not matter.

    >>> from storeys.web.phrases import digest_of_phrase
    >>> digest_of_phrase("Lusab BABAD") == digest_of_phrase("lusab-babad")
    True
    """
    letters = re.sub("[^a-z]", "", typed.lower())
    return hashlib.sha256(letters.encode()).hexdigest()
