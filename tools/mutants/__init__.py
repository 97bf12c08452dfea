"""Mutants: the rules with one operator, constant or line changed, and whether a test notices.

``making`` makes them, ``judging`` runs the tests on them, ``keeping`` keeps verdicts and the list
of those that change nothing.  Run it as ``make mutants``, or ``python -m tools.mutants``.
"""
