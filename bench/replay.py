#!/usr/bin/env python3
"""A MODEL of searches on larger clusters, fed with traces of real ones. Nothing that it prints beyond the lines marked
"measured" has been measured.

    bench_traffic all 0 8 --trace t                     # traces of searches, layout by layout
    replay.py t-*.jsonl                                 # bytes beside measured ones: relative errors
    replay.py t-*.jsonl --network NET --svg docs        # and plots for up to 1,024 processes

The bytes of a level follow from its frontier. Vertices are dealt like cards, so each of P processes has 1/P of it, and
sends it to R - 1 others (expand) and C - 1 (settle), as bitmap or list, whichever is shorter. What a level reaches is
found in several of the C columns: a vertex that m arcs lead to, in C·(1 - (1 - 1/C)^m) of them. m is solved for, level
by level, from the fold bytes of one trace per scale, the base; where these are bitmaps, which do not tell, from the bytes
of the parents, of which an owner asks for those that it has not found itself. Packed sets take their entropy, times a
factor for each kind from the base. All other traces only check the model.

Time: what a process computes grows with its vertices (--compute: nanoseconds for each, of a whole search); an exchange
takes a latency, an overhead for each message and its bytes over the bandwidth (--network: lines of tests/alltoall, else
assumed values); the fold of a pull hides behind work. In weak scaling the shares of the levels are those of the base."""
import argparse
import json
import math
import os
import sys

from plot import plot

KINDS = ("expand", "fold", "settle", "parents")
HEAD = 8  # bytes before a set
WITH_EDGES = 0.57  # of the vertices of a Kronecker graph of scale 22
WORTH_PACKING = 512  # members; shorter sets are not packed (src/policy/exchange.c)


# ---- traces ---------------------------------------------------------------------------------------------------------
class Search:
    """The levels of one search, as a trace has them."""

    def __init__(self):
        self.levels, self.parents = [], None

    def sent(self, kind):
        lines = self.levels + ([self.parents] if self.parents else [])
        return sum(line["sent"][kind]["bytes"] for line in lines)


class Trace:
    """Searches on one layout."""

    def __init__(self, path):
        self.path, self.searches = path, []
        with open(path, encoding="utf-8") as file:
            for text in file:
                line = json.loads(text)
                if line.get("run") != "bfs" or "sent" not in line:
                    continue
                if line["step"] == 0:
                    self.searches.append(Search())
                if line.get("phase") == "parents":
                    self.searches[-1].parents = line
                else:
                    self.searches[-1].levels.append(line)
        self.searches = [s for s in self.searches if s.parents]
        if not self.searches:
            raise SystemExit(f"{path}: there is no search on a cluster in it; give traces of bench_traffic or meguri bfs.")
        most = max(s.parents["frontier"] for s in self.searches)  # roots in small components do not count
        self.searches = [s for s in self.searches if s.parents["frontier"] > most / 2]
        line = self.searches[0].levels[0]
        if line["grid"] == "pairs":
            raise SystemExit(f"{path}: the model knows grids, not pairs.")
        self.rows, self.columns = map(int, line["grid"].split("x"))
        self.processes = self.rows * self.columns
        self.packed = line["exchange"] == "packed"
        self.vertices = most  # nearly all that have edges

    def mean(self, kind):
        return sum(s.sent(kind) for s in self.searches) / len(self.searches)


# ---- bytes ----------------------------------------------------------------------------------------------------------
def plain_set(members, places):
    return HEAD + min(4 * members, places / 8) if members >= 0.5 else members * (HEAD + 4)


def packed_set(members, free, places, factor):
    """`free` of the places are not settled yet."""
    plain = plain_set(members, places)
    share = min(1, members / free) if free > 0 else 0
    if members < WORTH_PACKING or not 0 < share < 1:
        return plain
    bits = -free * (share * math.log2(share) + (1 - share) * math.log2(1 - share))
    return min(plain, HEAD + factor * bits / 8)


def found_in(columns, arcs):
    """Columns that find a vertex to which so many arcs lead."""
    return columns * (1 - (1 - 1 / columns) ** arcs) if columns > 1 else 1


def solve(function, low, high):
    """Where a rising function is 0."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return (low + high) / 2


class Shape:
    """What the model keeps of a search of the base: per level, shares of the vertices; and the arcs m."""

    def __init__(self, trace, search):
        self.vertices = trace.vertices
        frontiers = [level["frontier"] for level in search.levels]
        reached = search.parents["frontier"]
        self.new = frontiers[1:] + [max(0, reached - sum(frontiers))]
        self.frontiers, self.reached = frontiers, reached
        self.pull = [level["way"] == "pull" for level in search.levels]
        self.edges = [level["edges"] for level in search.levels]
        self.arcs = self.find_arcs(trace, search)

    def find_arcs(self, trace, search):
        columns, processes = trace.columns, trace.processes
        if columns == 1:
            raise SystemExit(f"{trace.path}: a base must have columns, to tell how often vertices are found.")
        messages, places = processes * (columns - 1), self.vertices / processes
        arcs, unknown = [], []
        for new, level in zip(self.new, search.levels):
            members = max(0, level["sent"]["fold"]["bytes"] - HEAD * messages) / 4 / messages
            share = members * columns * processes / new if new else 1  # columns that find a new vertex
            if not new or members >= 0.9 * places / 32:
                unknown.append(len(arcs))
                arcs.append(1.0)
            elif share >= columns * 0.999:
                arcs.append(64.0)
            else:
                arcs.append(solve(lambda m, share=share: found_in(columns, m) - max(1, share), 1, 64))
        if unknown:  # one m for all of these, so that the parents come out right
            def surplus(m):
                for i in unknown:
                    arcs[i] = m
                return search.sent("parents") - self.parents(arcs, trace.rows, columns, self.vertices, None)
            surplus(solve(surplus, 1, 512))
        return arcs

    def parents(self, arcs, rows, columns, vertices, factor):
        if columns == 1:
            return 0
        scale, processes = vertices / self.vertices, rows * columns
        asked = sum(new * scale * (1 - found_in(columns, m) / columns) for new, m in zip(self.new, arcs))
        messages, places = processes * (columns - 1), vertices / processes
        request = plain_set(asked / messages, places) if factor is None else packed_set(asked / messages, places, places,
                                                                                        factor)
        bits = math.ceil(math.log2(vertices * 1.4))  # vertices without edges have positions, too
        return messages * request + asked * bits / 8

    def levels(self, rows, columns, vertices, factors):
        """For each level the bytes of expand, fold and settle that all processes send; factors None: plain."""
        processes, scale = rows * columns, vertices / self.vertices
        places, known, out = vertices / processes, 0.0, []
        for frontier, new, arcs in zip(self.frontiers, self.new, self.arcs):
            told, found = frontier * scale / processes, new * scale * found_in(columns, arcs) / columns / processes

            def size(members, kind, known=known):
                if factors is None:
                    return plain_set(members, places)
                return packed_set(members, places - known, places, factors[kind])
            expand, settle = size(told, "expand"), size(told, "settle")
            known += told
            fold = size(found, "fold", known)
            out.append({"expand": processes * (rows - 1) * expand, "fold": processes * (columns - 1) * fold,
                        "settle": processes * (columns - 1) * settle})
        return out

    def bytes(self, rows, columns, vertices, factors):
        sums = dict.fromkeys(KINDS, 0.0)
        for level in self.levels(rows, columns, vertices, factors):
            for kind, value in level.items():
                sums[kind] += value
        sums["parents"] = self.parents(self.arcs, rows, columns, vertices, factors and factors["parents"])
        return sums


class Model:
    """The searches of a base, and the factors of packed sets."""

    def __init__(self, base, packed):
        self.base, self.vertices = base, base.vertices
        self.shapes = [Shape(base, search) for search in base.searches]
        self.factors = None
        if packed:
            self.factors = {}
            for kind in KINDS:
                want = packed.mean(kind)
                def error(factor, kind=kind, want=want):
                    return self.bytes(base.rows, base.columns, self.vertices, dict.fromkeys(KINDS, factor))[kind] - want
                self.factors[kind] = solve(error, 0.05, 4)

    def bytes(self, rows, columns, vertices, factors):
        sums = dict.fromkeys(KINDS, 0.0)
        for shape in self.shapes:
            for kind, value in shape.bytes(rows, columns, vertices, factors).items():
                sums[kind] += value / len(self.shapes)
        return sums

    def seconds(self, rows, columns, vertices, factors, machine, overlap=True):
        """Of a search: computing, messages, and what of these is hidden; means over the shapes."""
        computing = messages = hidden = 0.0
        processes, each = rows * columns, vertices / (rows * columns)
        for shape in self.shapes:
            weights = [edges + shape.vertices / 16 for edges in shape.edges]
            levels = shape.levels(rows, columns, vertices, factors)
            for weight, level, pull in zip(weights, levels, shape.pull):
                work = machine.compute * each * weight / sum(weights)
                fold = machine.exchange(columns - 1, level["fold"] / processes)
                computing += work
                messages += machine.exchange(rows - 1, level["expand"] / processes) + fold
                messages += machine.exchange(columns - 1, level["settle"] / processes)
                messages += 2 * math.ceil(math.log2(processes)) * machine.latency if processes > 1 else 0
                if pull and overlap:
                    hidden += min(fold, work * (columns - 1) / columns)
            parents = shape.parents(shape.arcs, rows, columns, vertices, factors and factors["parents"])
            messages += machine.exchange(2 * (columns - 1), parents / processes)
        count = len(self.shapes)
        return computing / count, messages / count, hidden / count


class Machine:
    """Latency and overhead of messages in seconds, bytes a second out of a process, seconds of work for a vertex."""

    def __init__(self, compute, lines):
        self.compute, self.latency, self.overhead, self.bandwidth = compute * 1e-9, 5e-6, 1e-6, 1.4e9
        self.source = "assumed: 5 µs, 1 µs a message, 1.4 GB/s (what a node of paper P2 reached)"
        if lines:
            empty = [x for x in lines if x["message_bytes"] == 0]
            longest = max(lines, key=lambda x: x["message_bytes"])
            self.latency = self.overhead = min(x["exchange_ns"] / x["processes"] for x in empty) * 1e-9
            self.bandwidth = longest["bytes_per_second"]
            self.source = f"measured by alltoall: {self.latency * 1e6:.2f} µs, {self.bandwidth / 1e9:.2f} GB/s"

    def exchange(self, others, sent):
        return self.latency + others * self.overhead + sent / self.bandwidth if others > 0 else 0.0


# ---- what is asked --------------------------------------------------------------------------------------------------
def grid_of(layout, processes):
    if layout == "replicated":
        return processes, 1
    if layout == "simple":
        return 1, processes
    rows = 2 ** (int(math.log2(processes)) // 2)  # as paper P2: 1x2, 2x2, 2x4 …
    return rows, processes // rows


def layout_of(trace):
    return "replicated" if trace.columns == 1 else "simple" if trace.rows == 1 else "2-D"


def by_scale(traces):
    """Traces of one graph: they reach about as many vertices."""
    groups = {}
    for trace in traces:
        if trace.processes > 1:
            groups.setdefault(round(8 * math.log2(trace.vertices)), []).append(trace)
    return groups


def model_of(group):
    plain = [t for t in group if not t.packed and t.columns > 1]
    if not plain:
        raise SystemExit("there is no plain trace with columns to start from; give that of a grid such as 2x2.")
    base = min(plain, key=lambda t: (t.processes, abs(t.rows - t.columns)))
    packed = [t for t in group if t.packed and (t.rows, t.columns) == (base.rows, base.columns)]
    return Model(base, packed[0] if packed else None)


def check(groups):
    """Prints model beside measured bytes; the largest relative error of those that the model has not seen."""
    worst = 0.0
    print(f"{'vertices':>9} {'grid':>6} {'':6} {'measured':>10} {'model':>10} {'error':>7}  bytes of a search, all processes")
    for _, group in sorted(groups.items()):
        model = model_of(group)
        for trace in sorted(group, key=lambda t: (t.processes, t.rows, t.packed)):
            if trace.packed and not model.factors:
                continue
            seen = (trace.rows, trace.columns) == (model.base.rows, model.base.columns)
            value = sum(model.bytes(trace.rows, trace.columns, trace.vertices,
                                    model.factors if trace.packed else None).values())
            measured = sum(trace.mean(kind) for kind in KINDS)
            error = value / measured - 1
            worst = worst if seen else max(worst, abs(error))
            print(f"{trace.vertices:9} {trace.rows:>3}x{trace.columns:<2} {'packed' if trace.packed else 'plain':6} "
                  f"{measured:10.0f} {value:10.0f} {error:+7.1%}{'  (the base)' if seen else ''}")
    return worst


def draw(folder, traces, model, machine, scale):
    """The shapes of the papers' figures; 2^scale vertices for every process, of which some have edges."""
    each = WITH_EDGES * 2 ** scale
    counts = [2 ** k for k in range(11)]
    def curve(value):
        return [(p, value(p)) for p in counts]
    def sent(layout, factors, here=model.vertices / model.base.processes):
        return lambda p: sum(model.bytes(*grid_of(layout, p), here * p, factors).values()) / p
    def time(layout, factors=None, overlap=True):
        def seconds(p):
            computing, messages, hidden = model.seconds(*grid_of(layout, p), each * p, factors, machine, overlap)
            return computing + messages - hidden
        return seconds
    def teps(layout, factors=None, overlap=True):
        return lambda p: 16 * 2 ** scale * p / time(layout, factors, overlap)(p)
    dots = [(t.processes, sum(t.mean(k) for k in KINDS) / t.processes) for t in traces
            if t.processes > 1 and (not t.packed or layout_of(t) != "simple") and 0.8 < t.vertices / t.processes / (model.vertices / model.base.processes) < 1.25]
    layouts = ("replicated", "simple", "2-D")
    factors = model.factors
    packed = [(x + " packed", curve(sent(x, factors)), False) for x in ("replicated", "2-D")] if factors else []
    print("\na model: bytes that a process sends in a search, weak scaling, plain and packed")
    columns = [(x, None) for x in layouts] + [(x, factors) for x in layouts if factors]
    print("processes " + " ".join(f"{x + (' packed' if f else ''):>17}" for x, f in columns))
    for p in counts:
        print(f"{p:9} " + " ".join(f"{sent(x, f)(p):17.0f}" for x, f in columns))
    plot(os.path.join(folder, "scaling-bytes.svg"), "Bytes a process sends (P2, figures 2 and 7)", "bytes of a search, weak scaling",
         [(x, curve(sent(x, None)), False) for x in layouts] + packed, dots)
    plot(os.path.join(folder, "scaling-teps.svg"), "Speed by layout (P2, figures 5 and 6)", "edges a second, weak scaling",
         [(x, curve(teps(x)), False) for x in layouts] + [("linear", curve(lambda p: teps("2-D")(1) * p), True)])
    rate = {x: curve(lambda p, x=x: p * sent(x, None, each)(p) / time(x)(p)) for x in layouts}
    plot(os.path.join(folder, "scaling-rate.svg"), "Data rate of all processes (P2, figure 8)", "bytes a second, weak scaling",
         [(x, rate[x], False) for x in layouts])
    variants = [("2-D, no overlap", curve(teps("2-D", None, False)), False), ("2-D, overlap", curve(teps("2-D")), False)]
    variants += [("2-D, packed", curve(teps("2-D", factors)), False)] if factors else []
    plot(os.path.join(folder, "scaling-variants.svg"), "Speed by variant (P1, figure 9)", "edges a second, weak scaling", variants)
    def part(index, p):
        return model.seconds(*grid_of("2-D", p), each * p, None, machine)[index]
    start = part(1, 4) / 2
    plot(os.path.join(folder, "scaling-time.svg"), "Where the time goes (P1, figure 12)", "seconds of a search, weak scaling",
         [("messages", curve(lambda p: part(1, p)), False), ("computing", curve(lambda p: part(0, p)), False),
          ("hidden", curve(lambda p: part(2, p)), False), ("√P", curve(lambda p: start * math.sqrt(p)), True)])
    print(f"\na model: speed, {each:.0f} vertices with edges a process; network {machine.source}; "
          f"{machine.compute * 1e9:.2f} ns of work a vertex")
    print("processes   computing    messages      hidden  GTEPS 2-D  replicated  simple")
    for p in counts:
        print(f"{p:9} {part(0, p):11.6f} {part(1, p):11.6f} {part(2, p):11.6f} "
              + " ".join(f"{teps(x)(p) / 1e9:10.2f}" for x in ("2-D", "replicated", "simple")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("traces", nargs="+")
    parser.add_argument("--svg", metavar="FOLDER", help="write plots for up to 1,024 processes")
    parser.add_argument("--network", metavar="FILE", help="lines of tests/alltoall")
    parser.add_argument("--compute", type=float, default=7.3, help="nanoseconds of work for a vertex with edges (7.3)")
    parser.add_argument("--scale", type=int, default=22, help="log2 of the vertices a process has, for times (22)")
    parser.add_argument("--check", type=float, metavar="ERROR", help="fail where a relative error of bytes is larger")
    options = parser.parse_args()
    traces = [Trace(path) for path in options.traces]
    groups = by_scale(traces)
    worst = check(groups)
    print(f"largest relative error, of layouts that the model has not seen: {worst:.1%}")
    if options.svg:
        lines = [json.loads(text) for text in open(options.network, encoding="utf-8")] if options.network else None
        model = model_of(groups[max(groups)])  # the largest graph is nearest to larger ones
        draw(options.svg, traces, model, Machine(options.compute, lines), options.scale)
    if options.check is not None and worst > options.check:
        sys.exit(f"replay.py: the model is off by {worst:.1%}, more than {options.check:.1%}.")


if __name__ == "__main__":
    main()
