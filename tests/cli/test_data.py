"""Real graphs: what build and info say about them, against counts made here line by line."""
import gzip
import json
import lzma
import os

from harness import Case, DATA, main


def text_of(name):
    path = os.path.join(DATA, name)
    opener = gzip.open if name.endswith(".gz") else lzma.open if name.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        yield from file


def count(name, kind):
    """Vertices, edges, duplicates, loops as the format defines them, by sets; also the edges."""
    vertices, edges, loops, total = set(), set(), 0, 0
    undirected = kind == "pace"
    for line in text_of(name):
        words = line.split()
        if not words or words[0][0] in "#%c":
            continue
        if words[0] == "p":
            vertices.update(range(1, int(words[2]) + 1))
            continue
        a, b = map(int, words[1:3] if kind == "gr" else words[:2])
        total += 1
        vertices.update((a, b))
        if a == b:
            loops += 1
        else:
            edges.add((min(a, b), max(a, b)) if undirected else (a, b))
    return dict(vertices=len(vertices), edges=len(edges), dropped_loops=loops,
                dropped_duplicates=total - loops - len(edges), input_edges=total, directed=not undirected), edges


class Data(Case):
    def setUp(self):
        super().setUp()
        self.need(os.path.isdir(DATA), "the folder of real graphs (MEGURI_DATA)")

    def check(self, name, kind, *options):
        want, edges = count(name, kind)
        facts = self.json("build", os.path.join(DATA, name), *options, "--quiet", "-o", "g.meg")
        self.assertEqual({key: facts[key] for key in want}, want, name)
        shown = self.json("info", "--check", "g.meg")
        for key in ["vertices", "edges", "arcs", "directed", "weights", "ids", "isolated", "coordinates"]:
            self.assertEqual(shown[key], facts[key], (name, key))
        return edges

    def test_social_and_web(self):
        for name in ["social/snap-wiki-Vote.txt", "social/snap-facebook_combined.txt.gz", "social/snap-soc-Slashdot0902.txt.gz",
                     "web/snap-web-NotreDame.txt.gz"]:
            self.check(name, "el")

    def test_roads(self):
        for name in ["osm/monaco-d.gr.gz", "osm/andorra-t.gr.gz", "osm/heidelberg-d.gr.gz", "rail/japan-rail.gr.gz"]:
            self.check(name, "gr", "--coords", os.path.join(DATA, name.split("-d.")[0].split("-t.")[0].replace(".gr.gz", "") + ".co.gz"))
        for name in ["road/fastpaths-graph_ballard.gr", "road/osm-moscow.gr.gz"]:
            self.check(name, "gr")
        self.check("road/dimacs9-NY-topology.gr.xz", "pace")

    def test_converted_and_read_back(self):
        edges = self.check("social/snap-wiki-Vote.txt", "el")
        self.good("convert", "g.meg", "-o", "out.el")
        with open(self.path("out.el")) as file:
            back = {tuple(map(int, line.split())) for line in file if line[0] not in "#%"}
        self.assertEqual(back, edges)

    def test_reference(self):
        with open(os.path.join(DATA, "REFERENCE.json")) as file:
            reference = json.load(file)
        for name in ["osm/monaco-d.gr.gz", "road/dimacs9-NY-topology.gr.xz", "social/snap-wiki-Vote.txt"]:
            facts = self.json("build", os.path.join(DATA, name), "--quiet", "-o", "g.meg")
            self.assertEqual((facts["arcs"], facts["directed"]), (reference[name]["arcs"], reference[name]["directed"]))
            self.assertEqual(self.json("info", "g.meg")["degrees"]["max"], reference[name]["maxOutDeg"])

    def test_ldbc(self):
        folder = os.path.join(DATA, "ldbc")
        found = sorted(os.path.join(at, name) for at, _, names in os.walk(folder) for name in names if name.endswith(".e"))
        self.assertGreater(len(found), 0)
        for path in found:
            with open(path[:-2] + ".v") as file:
                vertices = len({line.strip() for line in file if line.strip()})
            self.assertEqual(self.json("build", path, "--quiet", "-o", "g.meg")["vertices"], vertices, path)


if __name__ == "__main__":
    main()
