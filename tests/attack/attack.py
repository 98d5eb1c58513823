#!/usr/bin/env python3
"""Attacks the command: random graphs, files, flags and moments, every answer beside NetworkX or a small reference.

    attack.py --seed 7 --cases 500     cases 0 … 499 of seed 7, always the same
    attack.py --seed 7 --case 123      one of them again; --keep leaves its files
    attack.py --seconds 3600           as many as fit, with a fresh seed
    attack.py --long                   the same, for ATTACK_SECONDS, by default an hour

A case is a graph in a random format, built under random flags, and some verbs on it; or a hostile moment: damaged files,
wrong flags, signals. What it is depends on the seed and its number alone. Counts are printed at the end; the first case
that fails ends the run with its number, its command and exit code 1 (--go-on: the twentieth)."""
import argparse
import collections
import os
import random
import shlex
import sys
import time
import traceback

try:
    import networkx  # noqa: F401
except ImportError:
    # The packages of the distribution belong to its own interpreter, which may not be the one that runs this.
    own = "/usr/bin/python3"
    if os.path.exists(own) and "MEGURI_TRIED_PYTHON" not in os.environ:
        os.environ["MEGURI_TRIED_PYTHON"] = sys.executable
        os.execv(own, [own, "-B", *sys.argv])
    print("skipped: NetworkX for Python (python3-networkx) is missing")
    sys.exit(1 if os.environ.get("MEGURI_REQUIRE_ALL") == "1" else 77)

import merged
import moments
import paths
import pulled
import resumed
import typed
import verbs
from session import MEGURI, Session, Wrong

VERBS = {**verbs.VERBS, "path": (paths.path, 8)}
MOMENTS = {"damage": (moments.damage, 4), "wrong flags": (moments.flags, 4), "signal": (moments.signals, 2)}


def pick(rng, table):
    return rng.choices(list(table), [weight for _, weight in table.values()])[0]


def attack(session):
    """One case."""
    rng = session.rng
    if rng.random() < 0.12:
        name = pick(rng, MOMENTS)
        session.count(name)
        MOMENTS[name][0](session)
        return
    size = rng.random()
    if size < 0.006:
        session.count("large")
        verbs.large(session)
        return
    if size < 0.012:
        session.count("scrambled")
        verbs.scrambled(session)
        return
    if size < 0.036:
        session.count("index of ties")
        paths.index_of_ties(session)
        return
    if size < 0.056:
        session.count("typed")
        typed.typed(session)
        return
    if size < 0.076:
        session.count("pulled")
        pulled.pulled(session)
        return
    if size < 0.082:
        session.count("split")
        verbs.split(session)
        return
    if size < 0.112:
        session.count("guided")
        paths.guided(session)
        return
    if size < 0.142:
        session.count("merged")
        merged.merged(session)
        return
    if size < 0.17:
        session.count("checkpoint")
        resumed.resumed(session)
        return
    graph = verbs.build(session)
    for _ in range(rng.randint(3, 8)):
        name = pick(rng, VERBS)
        session.count(name)
        VERBS[name][0](session, graph)


def run_case(seed, case, counts, keep):
    """Whether it was right."""
    def count(what, times=1):
        counts[what] += times

    session = Session(random.Random(f"{seed}/{case}"), count)
    try:
        attack(session)
        wrong = None
    except Wrong as error:
        wrong = f"{error}"
    except Exception:  # an answer of a form that nobody expected
        wrong = traceback.format_exc(limit=-3)
    finally:
        session.close(keep)
    if wrong:
        print(f"FAILED: seed {seed}, case {case}: {wrong}\n  {shlex.join(session.last or [])}\n"
              f"  again: attack.py --seed {seed} --case {case} --keep", flush=True)
    if keep:
        print(f"  files: {session.folder}")
    return wrong is None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", help="a fresh one, if it is not given")
    options.add_argument("--case", type=int, help="this one alone")
    options.add_argument("--cases", type=int, help="so many")
    options.add_argument("--seconds", type=float, help="as many as fit")
    options.add_argument("--long", action="store_true", help="as --seconds, for ATTACK_SECONDS (3600)")
    options.add_argument("--keep", action="store_true", help="leave the files of the case")
    options.add_argument("--go-on", action="store_true", help="after a failure, too")
    given = options.parse_args()
    seed = given.seed if given.seed is not None else str(random.SystemRandom().randrange(10**9))
    print(f"seed {seed}, {MEGURI}", flush=True)
    counts, case, failed = collections.Counter(), given.case or 0, 0
    seconds = float(os.environ.get("ATTACK_SECONDS", 3600)) if given.long else given.seconds
    last = case + 1 if given.case is not None else given.cases or (100 if seconds is None else None)
    begin = time.monotonic()
    while (last is None or case < last) and (seconds is None or time.monotonic() - begin < seconds):
        failed += not run_case(seed, case, counts, given.keep and given.case is not None)
        case += 1
        if failed >= (20 if given.go_on else 1):
            break
    print(", ".join(f"{what} {times}" for what, times in sorted(counts.items())))
    print(f"{case - (given.case or 0)} cases, {failed} failed, {time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
