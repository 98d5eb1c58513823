"""What the answers are: a graph as the pages say it is built, NetworkX where it has the definition, and otherwise small
algorithms that follow the definition word by word."""
import heapq
import math
import struct

import networkx


class Model:
    """A graph after building. `ids` are the user's ids in the user's order, `edges` are (from, to, weight) in positions;
    weights are None, or integers or floats as they were written."""

    def __init__(self, ids, kind, edges, directed, duplicates="min", keep_loops=False):
        self.ids, self.kind, self.directed = ids, kind, directed
        self.place = {name: i for i, name in enumerate(ids)}
        self.dropped_loops = self.dropped_duplicates = 0
        self.input_edges = len(edges)
        weighted = duplicates == "count" or bool(edges) and edges[0][2] is not None
        if not keep_loops:
            self.dropped_loops = sum(a == b for a, b, _ in edges)
            edges = [edge for edge in edges if edge[0] != edge[1]]
        if duplicates != "keep":
            parallel = {}
            for a, b, weight in edges:
                parallel.setdefault((a, b) if directed or a <= b else (b, a), []).append(weight)
            self.dropped_duplicates = len(edges) - len(parallel)
            edges = [(a, b, merged(weights, duplicates)) for (a, b), weights in parallel.items()]
        self.no_sum = any(weight is NO_SUM for _, _, weight in edges)  # then nothing else of it counts
        if self.no_sum:
            edges = []
        self.edges = edges
        self.weights = weight_type([weight for _, _, weight in edges]) if edges else "u8" if weighted else "none"
        self.exact = self.weights in ("none", "u8", "u16", "u32")
        self.out = [[] for _ in ids]  # (neighbour, weight, number of the edge)
        self.into = [[] for _ in ids]
        for number, (a, b, weight) in enumerate(edges):
            cost = 1 if weight is None else weight if self.exact else float(weight)
            self.out[a].append((b, cost, number))
            self.into[b].append((a, cost, number))
            if not directed and a != b:
                self.out[b].append((a, cost, number))
                self.into[a].append((b, cost, number))
        for row in (*self.out, *self.into):
            row.sort(key=lambda arc: arc[:2])
        self.arcs = sum(map(len, self.out))
        self.simple = len({frozenset(e[:2]) if not directed else e[:2] for e in edges}) == len(edges) and all(a != b for a, b, _ in edges)

    def __len__(self):
        return len(self.ids)

    def rows(self, direction="out"):
        """Neighbours in a direction, by the user's order and then by weight; a loop stands once."""
        if not self.directed or direction == "out":
            return self.out
        if direction == "in":
            return self.into
        return [sorted(out + [arc for arc in into if arc[0] != v], key=lambda arc: arc[:2])
                for v, (out, into) in enumerate(zip(self.out, self.into))]

    def network(self):
        """For NetworkX: simple, the lightest of parallel edges, no loops."""
        graph = networkx.DiGraph() if self.directed else networkx.Graph()
        graph.add_nodes_from(range(len(self)))
        for a in range(len(self)):
            for b, cost, _ in reversed(self.out[a]):  # the lightest comes last
                if a != b:
                    graph.add_edge(a, b, weight=cost)
        return graph


NO_SUM = object()


def merged(weights, duplicates):
    """The weight of the edge that is left of parallel ones, which come in the order of the input."""
    if duplicates == "count":
        return len(weights)
    if weights[0] is None or duplicates == "first":
        return weights[0]
    return {"min": min, "max": max, "sum": added}[duplicates](weights)


def added(weights):
    """Whole numbers up to 2^53 exactly, and no sum beyond that; others in increasing order with Neumaier's compensation."""
    if all(abs(weight) <= 2**53 and float(weight).is_integer() for weight in weights):
        total = sum(map(int, weights))
        return total if abs(total) <= 2**53 else NO_SUM
    total = lost = 0.0
    for weight in sorted(map(float, weights)):
        more = total + weight
        lost += (total - more) + weight if abs(total) >= abs(weight) else (weight - more) + total
        total = more
    return total + lost


def weight_type(weights):
    """The smallest type that loses nothing."""
    if not weights or weights[0] is None:
        return "none"
    if all(float(w).is_integer() and 0 <= w < 2**32 for w in weights):
        most = max(weights)
        return "u8" if most < 2**8 else "u16" if most < 2**16 else "u32"

    def short(weight):
        try:
            return struct.unpack("<f", struct.pack("<f", weight))[0] == weight
        except OverflowError:
            return False

    return "f32" if all(map(short, weights)) else "f64"


def levels(model, source, most=None):
    found = networkx.single_source_shortest_path_length(model.network(), source, cutoff=most)
    return [found.get(v, -1) for v in range(len(model))]


def distances(model, source):
    """Sums from the source on; with floats the smallest of the rounded sums, since rounding is monotone."""
    found = networkx.single_source_dijkstra_path_length(model.network(), source)
    return [found.get(v, math.inf) for v in range(len(model))]


def components(model):
    first = list(range(len(model)))
    find = networkx.weakly_connected_components if model.directed else networkx.connected_components
    for members in find(model.network()):
        name = min(members)
        for v in members:
            first[v] = name
    return first


def joined(model):
    graph = networkx.Graph()
    graph.add_nodes_from(range(len(model)))
    graph.add_edges_from((a, b) for a, b, _ in model.edges if a != b)
    return graph


def triangles(model):
    graph = joined(model)
    return sum(networkx.triangles(graph).values()) // 3, graph.number_of_edges()


def clustering(model):
    """LDBC LCC: arcs among the neighbours of v, in either direction and v apart, by d(d − 1)."""
    graph, arcs = joined(model), {(a, b) for a in range(len(model)) for b, _, _ in model.out[a] if a != b}
    out = []
    for v in range(len(model)):
        near = list(graph[v])
        inside = sum((a, b) in arcs for a in near for b in near)
        out.append(inside / (len(near) * (len(near) - 1)) if len(near) > 1 else 0.0)
    return out


def communities(model, iterations):
    """LDBC CDLP: neighbours in both directions, the most frequent label, the first in the user's order of several."""
    labels = list(range(len(model)))
    for _ in range(iterations):
        new = []
        for v in range(len(model)):
            counts = {}
            for row in (model.out, model.into)[:1 + model.directed]:
                for u, _, _ in row[v]:
                    counts[labels[u]] = counts.get(labels[u], 0) + 1
            new.append(min(counts, key=lambda label: (-counts[label], label)) if counts else labels[v])
        labels = new
    return labels


def pagerank(model, damping, iterations=None, tolerance=None):
    """As docs/pagerank.md has it; with a tolerance the limit, or what is as good as it."""
    n = len(model)
    ranks = [1 / n] * n if n else []
    if iterations is None:
        iterations = 1 + math.ceil(math.log(1e-15) / math.log(damping)) if damping > 0 else 2
    for _ in range(iterations if n else 0):
        dangling = math.fsum(ranks[v] for v in range(n) if not model.out[v])
        base = (1 - damping) / n + damping * dangling / n
        share = [ranks[v] / len(model.out[v]) if model.out[v] else 0 for v in range(n)]
        ranks = [base + damping * math.fsum(share[u] for u, _, _ in model.into[v]) for v in range(n)]
    return ranks


def dependencies(model, source):
    """Brandes from one source; ways are counted exactly, parallel edges are different ones."""
    ways, level, order = {source: 1}, {source: 0}, [source]
    for v in order:
        for u, _, _ in model.out[v]:
            if u not in level:
                level[u] = level[v] + 1
                ways[u] = 0
                order.append(u)
            if level[u] == level[v] + 1:
                ways[u] += ways[v]
    scores = [0.0] * len(model)
    for v in reversed(order):
        scores[v] = math.fsum(ways[v] / ways[u] * (1 + scores[u]) for u, _, _ in model.out[v] if level[u] == level[v] + 1)
    scores[source] = 0.0
    return scores


def betweenness(model, sources=None):
    if sources is None and model.simple:
        found = networkx.betweenness_centrality(model.network(), normalized=False)
        return [found[v] for v in range(len(model))]
    sums = [0.0] * len(model)
    for source in range(len(model)) if sources is None else sources:
        sums = [a + b for a, b in zip(sums, dependencies(model, source))]
    return [s / 2 for s in sums] if sources is None and not model.directed else sums


# Paths. A path is (vertices, costs): the costs up to each of them, added up from the start.


def hops_to(rows_back, target):
    """How many hops at least from each vertex to the target."""
    far, order = {target: 0}, [target]
    for v in order:
        for u, _, _ in rows_back[v]:
            if u not in far:
                far[u] = far[v] + 1
                order.append(u)
    return far


BACK = {"out": "in", "in": "out", "both": "both"}


class TooMany(Exception):
    """There are more paths than this program will look at."""


def cheapest(model, source, target, direction, max_hops, max_cost):
    """The cost of the cheapest path within the limits, and the fewest hops of any; None if there is none."""
    if max_hops is None and not math.isfinite(max_cost):
        best, queue, rows = {}, [(0, source)], model.rows(direction)
        while queue:
            cost, v = heapq.heappop(queue)
            if v in best:
                continue
            best[v] = cost
            for u, weight, _ in rows[v]:
                if u not in best:
                    heapq.heappush(queue, (cost + weight, u))
        far = hops_to(model.rows(BACK[direction]), target).get(source)
        return best.get(target), far
    rows = model.rows(direction)
    layer, cost, hops = {source: 0}, None, None
    for step in range(min(max_hops if max_hops is not None else len(model), len(model)) + 1):
        if target in layer and layer[target] <= max_cost:
            hops = step if hops is None else hops
            cost = layer[target] if cost is None else min(cost, layer[target])
        new = {}
        for v, known in layer.items():
            for u, weight, _ in rows[v]:
                if known + weight <= max_cost and known + weight < new.get(u, math.inf):
                    new[u] = known + weight
        layer = new
    return cost, hops


def walk(rows, far, source, target, kind, max_hops, max_cost, exactly, budget):
    """Paths depth first in the documented order; with `exactly` those of max_hops hops alone. `far` are the hops from
    each vertex to the target."""
    if source not in far:
        return
    vertices, costs, used, on_path = [source], [0], set(), {source}

    def go():
        v, hops = vertices[-1], len(vertices) - 1
        budget[0] -= 1
        if budget[0] < 0:
            raise TooMany
        if v == target and (not exactly or hops == max_hops):
            yield list(vertices), list(costs)
        if v == target and kind == "simple":
            return
        for u, weight, number in rows[v]:
            if u not in far or hops + 1 + far[u] > max_hops or costs[-1] + weight > max_cost:
                continue
            if (kind == "simple" and u in on_path) or number in used:
                continue
            vertices.append(u)
            costs.append(costs[-1] + weight)
            used.add(number)
            on_path.add(u)
            yield from go()
            used.remove(number)
            costs.pop()
            vertices.pop()
            if kind == "simple":
                on_path.remove(u)

    yield from go()


def paths(model, source, target, direction, kind, max_hops, max_cost, limit, budget):
    """The list of `all`, `simple` or `all-shortest`, in order, and whether a limit ended it."""
    found, left, longest = [], [budget], len(model.edges) if kind == "all" else max(len(model) - 1, 0)
    if kind == "all-shortest":
        _, hops = cheapest(model, source, target, direction, max_hops, max_cost)
        rounds = [] if hops is None else [(hops, True)]
    elif max_hops is not None or math.isfinite(max_cost):
        rounds = [(min(longest, max_hops if max_hops is not None else longest), False)]
    else:
        rounds = [(hops, True) for hops in range(longest + 1)]
    rows, far = model.rows(direction), hops_to(model.rows(BACK[direction]), target)  # once: there may be a round for each vertex
    for most, exactly in rounds:
        for path in walk(rows, far, source, target, "all" if kind == "all" else "simple", most, max_cost, exactly, left):
            found.append(path)
            if limit is not None and len(found) == limit:
                return found, True
    return found, False


def yens(model, source, target, direction, k, max_hops, max_cost, budget):
    """The costs of the k cheapest simple paths: of all simple paths, sorted."""
    every, _ = paths(model, source, target, direction, "simple", max_hops if max_hops is not None else len(model), max_cost, None, budget)
    return sorted(costs[-1] for _, costs in every)[:k]
