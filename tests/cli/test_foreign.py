"""Formats that are not read: told by their content or their name, plain, compressed or from a pipe, with what to do; the
conversions that the sentences name give the edges."""
import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import zipfile

from harness import SANITIZED, Case, main

GRAPHML = ('<?xml version="1.0" encoding="UTF-8"?>\n<!-- of a test -->\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
           '<graph edgedefault="directed"><node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>')


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    return out.getvalue()


def tarred(name, text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return out.getvalue()


def database():
    with tempfile.NamedTemporaryFile(suffix=".db") as file:
        connection = sqlite3.connect(file.name)
        connection.executescript("CREATE TABLE edges (source, target); INSERT INTO edges VALUES ('a', 'b'), ('b', 'c')")
        connection.close()
        file.seek(0)
        return file.read()


# What it is called, names that it has, contents that are it whatever they are called.
FORMATS = [
    ("GraphML", ["g.graphml"], [GRAPHML, "\ufeff<graphml>", "<!-- a <b> -->\n<graphml/>"]),
    ("GEXF", ["g.gexf"], ['<?xml version="1.0"?><gexf version="1.2"><graph/></gexf>', "<gexf>", "  \n<viz:gexf>"]),
    ("OSM XML", ["map.osm"], ['<?xml version="1.0"?>\n<osm version="0.6">', "<osmChange>"]),
    ("OSM PBF", ["map.osm.pbf"], [b"\0\0\0\x0d\x0a\x09OSMHeader\x18\x7c"]),
    ("an HTML page", ["page.html", "page.htm"], ["<!DOCTYPE html>\n<html>", "<!doctype HTML PUBLIC>", "<html lang='en'>", "<HTML>"]),
    ("XML", ["g.xml"], ["<?xml version='1.0'?>\n<sensors>", "<?xml version='1.0'?>\n<!DOCTYPE net [ <!ELEMENT a (b)> ]>"]),
    ("GML", ["g.gml"], ["graph [\n directed 1\n", 'Creator "igraph"\nVersion 1\ngraph\n[\n  directed 0', "# made\nGRAPH[ node [ id 1 ] ]"]),
    ("Pajek", ["g.net", "g.paj"], ["*Vertices 3\n1 \"a\"\n", "% made\n*vertices 2\n", "*Network x\n", "*arcs\n1 2\n"]),
    ("Graphviz DOT", ["g.dot", "g.gv"], ["digraph G {\n a -> b;\n}", "strict graph {", 'graph "a b" {', "// made\n/* so */ digraph {"]),
    ("JSON", ["g.json", "g.jsonl", "g.ndjson", "g.geojson"], ['{"nodes": [], "links": []}', "[[1, 2], [2, 3]]", "{\n}", '{"a":1}\n{"a":2}', "[1"]),
    ("RDF triples", ["g.nt", "g.ttl"], ["<http://a/b> <http://a/c> <http://a/d> .\n", "@prefix a: <http://a/> .", "_:a <http://p> _:b ."]),
    ("UCINET DL", ["g.dl", "g.vna"], ["dl n=5 format=edgelist1", "DL\nN = 3", "*node data\nid\n"]),
    ("GDF", ["g.gdf"], ["nodedef>name VARCHAR\na\nedgedef>node1,node2\n", "edgedef>a,b"]),
    ("LEDA", ["g.lgr"], ["LEDA.GRAPH\nstring\n"]),
    ("TGF", ["g.tgf"], []),
    ("graph6", ["g.g6"], [">>graph6<<A_\n"]),
    ("sparse6", ["g.s6"], [">>sparse6<<:An\n"]),
    ("a Parquet file", ["e.parquet", "e.pq"], [b"PAR1\x15\x04\0\0PAR1"]),
    ("a Feather or Arrow file", ["e.feather", "e.arrow"], [b"ARROW1\0\0\xff\xff"]),
    ("a Feather file", [], [b"FEA1\0\0\0\0"]),
    ("an ORC file", ["e.orc"], [b"ORC\x0a\0\0"]),
    ("an Avro file", ["e.avro"], [b"Obj\x01\x04\x14avro.codec"]),
    ("HDF5", ["e.h5", "e.hdf5"], [b"\x89HDF\r\n\x1a\n\0\0"]),
    ("an SQLite database", ["e.sqlite", "e.db"], [database()]),
    ("an Excel workbook", ["e.xlsx"], [zipped(("[Content_Types].xml", "<Types/>"), ("_rels/.rels", ""), ("xl/workbook.xml", "<workbook/>"))]),
    ("an Excel workbook", ["e.xls"], [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)]),
    ("a spreadsheet", ["e.ods"], [zipped(("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", ""))]),
    ("a NumPy archive", ["m.npz"], [zipped(("indices.npy", b"\x93NUMPY"))]),
    ("a NumPy array", ["m.npy"], [b"\x93NUMPY\x01\0v\0{'descr'"]),
    ("a zip archive", ["e.zip", "e.gephi"], [zipped(("edges.csv", "a,b\n")), zipped()]),
    ("a 7z archive", ["e.7z"], [b"7z\xbc\xaf\x27\x1c\0\4"]),
    ("a RAR archive", ["e.rar"], [b"Rar!\x1a\x07\x01\0"]),
    ("a tar archive", ["e.tar", "e.tgz"], [tarred("edges.csv", b"a,b\n")]),
    ("compressed with bzip2", ["e.el.bz2"], [bz2.compress(b"1 2\n"), bz2.compress(b"")]),
    ("compressed with LZ4", ["e.el.lz4"], [b"\x04\x22\x4d\x18\x40\x40\xc0"]),
    ("compressed with lzip", ["e.el.lz"], [b"LZIP\x01\x0c"]),
    ("compressed with compress", ["e.el.Z"], [b"\x1f\x9d\x90\x31"]),
    ("a pickle of Python", ["g.pickle", "g.pkl", "g.gpickle"], [pickle.dumps({1: 2}, p) for p in range(2, 6)] + [pickle.dumps([1, 2], 4)]),
    ("a MATLAB file", ["m.mat"], [b"MATLAB 5.0 MAT-file, made by a test" + bytes(100)]),
    ("a file of R", ["e.rds", "e.RData"], [b"X\n\0\0\0\3", b"RDX3\nX\n\0\0"]),
    ("a shapefile", ["roads.shp", "roads.dbf"], [b"\0\0\x27\x0a" + bytes(96)]),
    ("a PDF", ["paper.pdf"], [b"%PDF-1.7\n%\xe2\xe3\n"]),
]

# What only looks like one of them.
EDGES = {
    "genes": (b"PAR1 PAR2\nORC1 PAR1\nORC2 ORC1\n", 3), "words": (b"graph theory\ntheory graph\n", 2), "dl": (b"dl np\nnp dl\n", 2),
    "tags": (b"<a> <b>\n<b> <c>\n", 2), "stars": (b"*a *b\n*b *c\n", 2), "BZh": (b"BZh9 b\nb BZh9\n", 2), "quoted": (b'"[a" b\nb c\n', 2),
    "digraph": (b"digraph a\na strict\n", 2), "leda": (b"LEDA GRAPH\nGRAPH x\n", 2), "creator": (b"creator a\ngraph b\n", 2),
}


class Foreign(Case):
    def refused(self, sentence, *words, **more):
        text = self.bad(3, sentence, "bfs", *words, "--source", "a", "-o", "r.tsv", **more)
        self.assertIn("; ", text)
        return text

    def test_by_content(self):
        for is_, _, contents in FORMATS:
            for content in contents[:1] if SANITIZED else contents:
                data = content if isinstance(content, bytes) else content.encode()
                self.refused(f"edges.txt is {is_}, which is not read; ", self.write("edges.txt", data))
                self.refused(f"standard input is {is_}, which is not read; ", "-", stdin=data)
        self.assertEqual(self.names(), ["edges.txt"])

    def test_compressed(self):
        for is_, _, contents in FORMATS:
            for content in contents[:1]:
                data = content if isinstance(content, bytes) else content.encode()
                self.refused(f"e.csv.gz is {is_}, which is not read; ", self.write("e.csv.gz", gzip.compress(data)))
                self.refused(f"standard input is {is_}, which is not read; ", "-", stdin=lzma.compress(data))
        self.refused("e.csv.gz is compressed twice", self.write("e.csv.gz", gzip.compress(gzip.compress(b"1 2\n"))))

    def test_by_name(self):
        """An empty or unusual file of such a name is not an edge list; --format says otherwise."""
        for is_, names, contents in FORMATS:
            for name in names:
                text = self.refused(f"{name} is {is_} by its name, which is not read; ", self.write(name, b"1 2\n"))
                self.assertIn(". If the name is wrong, the option format says what it holds.", text)
                self.good("build", name, "--format", "el", "-q", "-o", "g.meg")
                os.remove(self.path(name))
        self.refused("G.GraphML.gz is GraphML by its name", self.write("G.GraphML.gz", gzip.compress(b"")))
        self.refused("g.json is JSON by its name", self.write("g.json", b""))

    def test_a_format_that_is_told(self):
        """Content that no edges have is refused all the same; what edges could have is read as it is told."""
        self.bad(3, "e.txt is GraphML, which is not read", "build", self.write("e.txt", GRAPHML), "--format", "csv", "-o", "g.meg")
        self.bad(3, "e.txt is a zip archive", "build", self.write("e.txt", zipped(("a", "b"))), "--format", "el", "-o", "g.meg")
        self.good("build", self.write("e.txt", "{a [b\n[b {a\n"), "--format", "el", "-q", "-o", "g.meg")
        self.assertEqual(self.json("info", "g.meg")["edges"], 2)

    def test_only_alike(self):
        for name, (text, edges) in EDGES.items():
            self.write("e.txt", text)
            result = self.run_it("build", "e.txt", "--no-header", "-q", "-o", "g.meg")
            self.assertEqual(result.returncode, 0, (name, result.stderr))
            self.assertEqual(self.json("info", "g.meg")["edges"], edges, name)

    def test_every_verb(self):
        """All verbs that read a graph, and info, which names the verb that makes one."""
        self.write("g.txt", GRAPHML)
        self.write("p.c", "")
        for words in (["components"], ["pagerank"], ["cores"], ["sssp", "--source", "a"], ["path", "--from", "a", "--to", "b"],
                      ["triangles"], ["clustering"], ["communities"], ["betweenness"], ["convert", "-o", "x.el"],
                      ["build", "-o", "x.meg"], ["partition", "--parts", "2", "-o", "parts"]):
            self.bad(3, "g.txt is GraphML, which is not read", words[0], "g.txt", *words[1:])
        self.bad(3, "g.txt is GraphML, not a .meg file, and is not read; convert it", "info", "g.txt")
        self.bad(3, "g.txt is GraphML", "build", self.write("a.el", "1 2\n"), "g.txt", "-o", "x.meg")
        self.assertEqual(self.names(), ["a.el", "g.txt", "p.c"])

    def test_info_on_text(self):
        self.write("g.el", "1 2\n")
        text = self.bad(3, "g.el is a text file, not a .meg file; ", "info", "g.el")
        self.assertIn("`meguri build g.el -o NAME.meg` makes one from it", text)
        self.assertIn("`meguri overview g.el`", text)
        with open(self.path("g.el.gz"), "wb") as file:
            file.write(gzip.compress(b"1 2\n"))
        self.bad(3, "g.el.gz is a text file compressed with gzip, not a .meg file; `meguri build g.el.gz", "info", "g.el.gz")

    def test_meg_where_text_is_read(self):
        self.good("build", self.write("g.el", "1 2\n"), "-q", "-o", "g.meg")
        with open(self.path("g.meg"), "rb") as file:
            whole = file.read()
        self.bad(3, "is a .meg file already", "build", "g.meg", "-o", "x.meg")
        self.write("g.meg.gz", gzip.compress(whole))
        self.bad(3, "g.meg.gz is a compressed .meg file; decompress it", "bfs", "g.meg.gz", "--source", 1)
        self.bad(3, "g.meg.gz is compressed with gzip, and a .meg file is opened in place", "info", "g.meg.gz")
        self.bad(3, "standard input is a .meg file, which is mapped into memory; name the file", "bfs", "-", "--source", 1, stdin=whole)
        for bytes_ in (3, 8, 100, len(whole) - 1):
            self.bad(3, "ends too early", "info", self.write("cut.meg", whole[:bytes_]))
            self.bad(3, "ends too early", "bfs", "cut.meg", "--source", 1)


class Remedies(Case):
    """What the sentences advise, done as they say it."""
    EDGES = {("a", "b", "2"), ("b", "c", "3"), ("c", "a", "5")}

    def python(self, code):
        subprocess.run([sys.executable, "-c", code], cwd=self.folder, check=True, capture_output=True)

    def remedy(self, name):
        text = self.bad(3, "which is not read", "bfs", name, "--source", "a")
        return text.split("which is not read; ")[1].rstrip(".\n")

    def edges(self, name):
        self.good("convert", name, "--undirected", "-q", "-o", "out.csv")
        with open(self.path("out.csv")) as file:
            return {frozenset(line.strip().split(",")) for line in file.readlines()[1:]}

    def test_networkx(self):
        try:
            import networkx
        except ImportError:
            networkx = None
        self.need(networkx, "networkx")
        made = "import networkx; g = networkx.Graph(); g.add_weighted_edges_from([('a', 'b', 2), ('b', 'c', 3), ('c', 'a', 5)]); "
        for name, write in (("g.graphml", "write_graphml_xml"), ("g.gexf", "write_gexf"), ("g.gml", "write_gml"), ("g.net", "write_pajek")):
            self.python(f"{made}networkx.{write}(g, '{name}')")
            call = self.remedy(name).split("NetworkX: ")[1].replace("FILE", f"'{name}'")
            self.python("import networkx; " + call)
            self.assertEqual(self.edges("edges.tsv"), {frozenset(edge) for edge in self.EDGES}, name)

    def test_jq(self):
        self.need(shutil.which("jq"), "jq")
        self.write("g.json", json.dumps({"links": [{"source": a, "target": b} for a, b, _ in sorted(self.EDGES)]}))
        command = self.remedy("g.json").split("jq: ")[1].replace("FILE", "g.json")
        subprocess.run(["sh", "-c", command], cwd=self.folder, check=True)
        self.assertEqual(self.edges("edges.csv"), {frozenset((a, b)) for a, b, _ in self.EDGES})

    def test_sqlite(self):
        self.need(shutil.which("sqlite3"), "sqlite3")
        self.write("e.db", database())
        command = self.remedy("e.db").split("CSV: ")[1].replace("FILE", "e.db")
        subprocess.run(["sh", "-c", command], cwd=self.folder, check=True)
        self.assertEqual(self.edges("edges.csv"), {frozenset("ab"), frozenset("bc")})

    def test_archives(self):
        self.write("e.zip", zipped(("e.csv", "source,target\na,b\n")))
        self.write("e.tar", tarred("f.csv", b"source,target\na,b\n"))
        self.write("h.el.bz2", bz2.compress(b"a b\n"))
        for name, made in (("e.tar", "f.csv"), ("e.zip", "e.csv"), ("h.el.bz2", "h.el")):
            command = self.remedy(name).split("(")[1].split(")")[0].replace("FILE", name)
            if not shutil.which(command.split()[0]):
                continue
            subprocess.run(command.split(), cwd=self.folder, check=True, capture_output=True)
            self.assertEqual(self.edges(made), {frozenset("ab")}, name)


if __name__ == "__main__":
    main()
