"""Interpreted and compiled rules: who loads Numba and when, and that nobody sees the difference."""

from typing import Any

import pytest

from storeys.kernel.caching import cache_root
from storeys.registry import game_names
from tests.commands import said_by
from tests.proofs import mostly_long

PLAY = """
import json, sys
import storeys
from storeys.kernel import compiling

def play(game, seed, switch_at):
    match, said = storeys.new(game, players=2, seed=seed), []
    rng = storeys.kernel.chance.generator(seed)
    while match.to_move is not None:
        if match.moves_made == switch_at:
            compiling.PAYS_AFTER = compiling.COMPILING_PAYS_AFTER = 0.0
        match.push(match.random_move(rng))
        said.append(match.state().tobytes().hex()[-64:])
    return [match.record(), match.totals, match.view(0), said]
"""


def run(code: str, *words: str, **env: str) -> Any:
    """What some code prints as JSON in a process that may compile, unless said otherwise."""
    return said_by(code, *words, **{"STOREYS_UNCOMPILED": "0"} | env)


@pytest.mark.parametrize("game", game_names())
def test_a_short_program_loads_no_compiler(game: str, tmp_path: Any) -> None:
    code = (
        "import json, sys, storeys; match = storeys.new(sys.argv[1], seed=1);"
        "match.push(match.legal_moves[0]);"
        "match.view(0), match.observe(0), match.score(), match.svg(0);"
        "storeys.load(match.record());"
        "storeys.bot('random').choose(match.view(match.to_move));"
        "print(json.dumps([name for name in ('numba', 'llvmlite') if name in sys.modules]))"
    )
    assert run(code, game, STOREYS_CACHE=str(tmp_path)) == []


@pytest.mark.parametrize("game", mostly_long("cloud-city"))
def test_a_change_in_the_middle_of_a_match_is_seen_by_nobody(game: str) -> None:
    code = PLAY + "print(json.dumps(play(sys.argv[1], 5, int(sys.argv[2]))))"
    interpreted = run(code, game, "-1", STOREYS_UNCOMPILED="1")
    assert run(code, game, "11") == interpreted


@pytest.mark.parametrize("game", mostly_long("neoville"))
def test_playouts_are_the_same_without_a_compiler(game: str) -> None:
    """Also in a game that leaves options to chance, which are drawn for many games at once."""
    code = (
        "import json, sys, storeys; batch = storeys.arena.playouts(sys.argv[1], 3, seed=2);"
        "print(json.dumps([batch.scores.tolist(), [batch.record(nth) for nth in range(3)]]))"
    )
    assert run(code, game, STOREYS_UNCOMPILED="1") == run(code, game)


def test_compiled_code_is_loaded_once_it_pays() -> None:
    code = PLAY + (
        "play('manhattan', 1, -1); before = 'numba' in sys.modules;"
        "play('manhattan', 1, 3); print(json.dumps([before, 'numba' in sys.modules]))"
    )
    patient = "compiling.PAYS_AFTER = 1000.0;"
    assert run(code.replace("play('man", patient + "play('man", 1)) == [False, True]


def test_who_stays_interpreted_never_loads_the_compiler() -> None:
    code = PLAY + (
        "compiling.stay_interpreted(); play('manhattan', 1, 3);"
        "storeys.arena.playouts('manhattan', 1);"
        "print(json.dumps('numba' in sys.modules))"
    )
    assert run(code) is False


@pytest.mark.parametrize("uncompiled", ["0", "1"])
def test_who_stays_interpreted_counts_with_pythons_numbers(uncompiled: str) -> None:
    """Until somebody compiles after all: NumPy's are what Numba has to be told of."""
    code = (
        "import json, numpy; from storeys.kernel import compiling;"
        "from storeys.games.neoville import rules;"
        "found = [rules.int64 is numpy.int64]; compiling.stay_interpreted();"
        "import storeys.search.turns as later;"
        "found += [module.int64 is int for module in (rules, later)]; compiling.tell_numba();"
        "found += [module.int64 is numpy.int64 for module in (rules, later)];"
        "print(json.dumps(found))"
    )
    found = run(code, STOREYS_UNCOMPILED=uncompiled)
    assert found == [uncompiled == "0", True, True, True, True]


COUNT = """
import json, sys
from collections import Counter
import numba.core.event as event
compiled = Counter()
class Listener(event.Listener):
    def on_start(self, happened):
        about = happened.data
        compiled[str((about["dispatcher"].py_func, about["args"]))] += 1
    def on_end(self, happened):
        pass
event.register("numba:compile", Listener())
from storeys.kernel.compiling import compiler
from storeys.warming import steps_for_environments, steps_to_compete
from tests.commands import said_by
"""


@pytest.mark.parametrize("game", mostly_long("manhattan"))
def test_a_second_process_compiles_nothing(game: str) -> None:
    """Everything that warming does is found in the cache, environments included.

    Playing needs every entry point for one kind of arguments: a default would make a second one.
    """
    code = COUNT + (
        "[step() for _, step in steps_to_compete(sys.argv[1])];"
        "several = [entry.function.__name__ for entry in compiler.entries"
        " if len(entry.dispatcher.signatures) > 1];"
        "[step() for _, step in steps_for_environments(sys.argv[1])];"
        "print(json.dumps([sum(compiled.values()), several]))"
    )
    run(code, game, STOREYS_CACHE=str(cache_root()))
    assert run(code, game, STOREYS_CACHE=str(cache_root())) == [0, []]


def test_no_function_is_compiled_twice(tmp_path: Any) -> None:
    code = COUNT + (
        "import storeys; compiler.start(); match = storeys.new('manhattan', seed=1);"
        "match.push(match.legal_moves[0]); match.random_move(storeys.kernel.chance.generator(1));"
        "own = {name: n for name, n in compiled.items() if 'function <' not in name};"
        "print(json.dumps([len(own) > 30, [name for name, n in own.items() if n > 1]]))"
    )
    assert run(code, STOREYS_CACHE=str(tmp_path)) == [True, []]


def test_only_entry_points_become_machine_code(tmp_path: Any) -> None:
    """What compiled code alone calls is optimised as a part of those who call it."""
    code = (
        "import json, storeys; from numba.core.codegen import JITCPUCodegen as Codegen;"
        "from storeys.kernel.compiling import compiler;"
        "made, add = [], Codegen._add_module;"
        "Codegen._add_module = lambda self, module: made.append(module.name) or add(self, module);"
        "compiler.start(); storeys.new('manhattan', seed=1);"
        "print(json.dumps([made.count(name) for name in ('start', 'rewind', 'below')]))"
    )
    assert run(code, STOREYS_CACHE=str(tmp_path)) == [1, 0, 0]
