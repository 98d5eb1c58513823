"""Values on their way from a database into a cache, and from a result into a database: equal, or refused with an example
and where it is."""
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from databases import PLAIN, Databases  # noqa: E402
from fake import Fake, pack, size  # noqa: E402


class Bytes(bytes):
    """A text of any bytes, on the wire."""


def pack_bytes(text):
    return size(0x80, 0xD0, len(text)) + text


class Exact(Databases):
    def raw(self, text):
        """A text of a database that is sent as these bytes."""
        class Raw(str):
            def encode(self, *_):
                return text
        return Raw("raw")

    def refuse(self, part, database, *words):
        return self.bad(3, part, "pull", database.uri(), *words, "-o", "d.meg", env=PLAIN)


class Weights(Exact):
    def with_weight(self, weight):
        return self.database([{"id": 0}, {"id": 1}], [(0, 0, 1, "R", 1), (7, 1, 0, "R", weight)], weight="w")

    def test_taken(self):
        for weight, wanted in ((2**53, 2**53), (-2**53, -2**53), (2**62, 2**62), (-2**63, -2**63), ("16", 16), ("+1.5e3", 1500),
                               (".5", 0.5), ("5.", 5), ("9007199254740992", 2**53), ("9007199254740993.0", 2**53), ("007", 7),
                               ("1e308", 1e308), (5e-324, 5e-324), ("-0", 0), ("0e-999", 0), (-0.0, 0), ("100000000000000000000", 1e20)):
            self.pull(self.with_weight(weight).uri(), "--weight", "w")
            self.assertIn(wanted, [float(edge.split(",")[2]) for edge in self.edges()], weight)

    def test_refused(self):
        none, rounded, range_ = "which is no number", "cannot hold exactly", "beyond the range of 64-bit floating point"
        for weight, shown, part in (("0x10", "'0x10'", none), ("inf", "'inf'", none), ("nan", "'nan'", none), (" 5", "' 5'", none),
                                    ("5 ", "'5 '", none), ("", "''", none), ("1e", "'1e'", none), ("--1", "'--1'", none),
                                    ("1,5", "'1,5'", none), ("1e999", "'1e999'", range_), ("-1e999", "'-1e999'", range_),
                                    ("1e-999", "'1e-999'", range_), (2**53 + 1, "9007199254740993", rounded),
                                    (-2**53 - 1, "-9007199254740993", rounded), (2**63 - 1, "9223372036854775807", rounded),
                                    ("9007199254740993", "'9007199254740993'", rounded), (math.inf, "inf", "not finite"),
                                    (-math.inf, "-inf", "not finite"), (math.nan, "nan", "not finite"), (True, "true", none),
                                    ([1], "a list", none), ({"a": 1}, "a map", none), ("1" * 70, "'" + "1" * 40 + "…'", none),
                                    (self.raw(b"5\0"), "'5\\x00'", none), (self.raw(b"5\xff"), "'5\\xFF'", none)):
            text = self.refuse(f"the relationship 7 has {shown}", self.with_weight(weight), "--weight", "w", "--default-weight", 1)
            self.assertIn(f" as w, ", text)
            self.assertIn(part, text)


class Names(Exact):
    def test_types(self):
        for name in (b"A\0B", b"\0", b"", b"A\tB", b"A\nB", b"A\rB", b"A\xffB", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"):
            database = self.database([{"id": 0}], [(0, 0, 0, self.raw(name), 1)])
            self.refuse("a type of relationships is called '", database)
        kinds = ["A B", "a`b", "'", '"', "\u00e9", "\U0001F600", "\\u0060", "x" * 300, "\x01", ",", ";"]
        database = self.database([{"id": 0}], [(i, 0, 0, kind, 1) for i, kind in enumerate(kinds)])
        self.pull(database.uri())
        found = [self.json("path", "c.meg", "--from", 0, "--to", 0, "--algorithm", "all", "--max-hops", 1, "--types", kind)
                 for kind in ("A B", "a`b", "\u00e9", "\U0001F600", "x" * 300)]
        self.assertEqual([answer["paths"][-1]["columns"]["type"] for answer in found if answer["paths"][-1]["hops"]],
                         [["A B"], ["a`b"], ["\u00e9"], ["\U0001F600"], ["x" * 300]])

    def test_keys(self):
        for key in (b"A\0B", b"", b"A\tB", b"A\xff", b"\xe2\x82"):
            database = self.database([{"id": 3, "uid": self.raw(key)}], [], key="uid")
            self.refuse("cannot: node 3 of", database, "--key", "uid")
        for key in (1.5, [1], {"a": 1}, math.nan):
            self.refuse("such as node 3 of", self.database([{"id": 3, "uid": key}], [], key="uid"), "--key", "uid")
        wanted = [-2**63, -1, 0, 2**53 + 1, 2**63 - 1]
        database = self.database([{"id": i, "uid": uid} for i, uid in enumerate(wanted)], [(i, i, i, "R", 1) for i in range(5)], key="uid")
        self.pull(database.uri(), "--key", "uid")
        self.assertEqual(sorted(int(edge.split(",")[0]) for edge in self.edges()), wanted)

    def test_databases(self):
        for mark in ("a\0b", "a\nb", "x" * 300, self.raw(b"4:\xff:0")):
            database = self.database([{"id": 0}], [], mark=mark)
            if not mark.isprintable() or len(mark) > 3:
                self.bad(5, "no name of a database", "pull", database.uri(), "-o", "d.meg", env=PLAIN)


class Places(Exact):
    def test_coordinates(self):
        for x, y, shown in ((math.nan, 1, "nan"), (1, math.inf, "inf"), (2**53 + 1, 1, "9007199254740993"), ("0x10", 1, "'0x10'"),
                            (1, "1e999", "'1e999'"), (True, 1, "true"), (1, [2], "a list"), (1.5, None, "1.5"), (None, 7, "7")):
            node = {"id": 5, **({} if x is None else {"x": x}), **({} if y is None else {"y": y})}
            text = self.refuse(f"(" + shown + ", which", self.database([{"id": 4}, node], []), "--x", "x", "--y", "y") \
                if shown != "9007199254740993" else \
                self.refuse("(9007199254740993, a whole number", self.database([{"id": 4}, node], []), "--x", "x", "--y", "y")
            self.assertIn("node 5 of", text)
        self.pull(self.database([{"id": 4}, {"id": 5, "x": "-1.5", "y": 2**53}], []).uri(), "--x", "x", "--y", "y")

    def test_ids_that_were_not_asked_for(self):
        class Lying(Fake):
            def groups(self, ids, parameters, short, by_id):
                yield ["R", [0], [0], [self.faults["far"]]]

        for far in (-1, 70000, 2**62):
            database = Lying([{"id": 0}], [(0, 0, 0, "R", 1)], far=far)
            self.addCleanup(database.close)
            self.bad(5, "do not fit together", "pull", database.uri(), "-o", "d.meg", env=PLAIN)

    def test_a_node_twice(self):
        class Twice(Fake):
            def answer(self, query, parameters):
                for record in super().answer(query, parameters):
                    yield record
                    if "RETURN collect(id(n))" in query:
                        yield record

        database = Twice([{"id": 0}], [])
        self.addCleanup(database.close)
        self.bad(5, "do not fit together", "pull", database.uri(), "-o", "d.meg", env=PLAIN)

    def test_numbers_of_nodes_that_are_none(self):
        class Lying(Fake):
            def answer(self, query, parameters):
                return [[1, self.faults["highest"]]] if "max(" in query else super().answer(query, parameters)

        for highest in (-1, -2**63, "0", 1.5, True, [1]):
            database = Lying([{"id": 0}], [], highest=highest)
            self.addCleanup(database.close)
            self.bad(5, "or the highest id of one, is none", "pull", database.uri(), "-o", "d.meg", env=PLAIN)


class WrittenBack(Exact):
    def write_column(self, *values):
        database = self.database([{"id": i} for i in range(len(values))], [])
        self.pull(database.uri())
        self.write("r.tsv", "vertex\tp\n" + "".join(f"{i}\t{value}\n" for i, value in enumerate(values)))
        return database, ("write-back", "c.meg", "--result", "r.tsv", "--property", "p", database.uri())

    def test_equal(self):
        for values in ((0, -1, 2**31 - 1, -2**31), (0, 2**32, 2**63 - 1), (2**53 + 1, "inf", 7), (0.5, -0.0, 1e300, "nan", "-inf"),
                       (1.5, 2**53), (-2**53, 0.25), ("-0.0", 5)):
            database, words = self.write_column(*values)
            self.json(*words, env=PLAIN)
            got = [node.get("p") for node in database.nodes]
            wanted = [None if value == "inf" else float(value) if isinstance(value, str) else value for value in values]
            if any(isinstance(value, float) for value in wanted):
                wanted = [None if value is None else float(value) for value in wanted]
            self.assertEqual(list(map(repr, got)), list(map(repr, wanted)))

    def test_refused(self):
        for values, example in (((1, 2, 2**64), 2**64), ((2**64, 1), 2**64), ((1, -2**63), -2**63), ((-2**63, 1), -2**63),
                                ((2**63, 1), 2**63), ((1, 2**64 - 1), 2**64 - 1), ((1, -2**63 - 1), -2**63 - 1),
                                ((2**53 + 1, 0.5), 2**53 + 1), ((0.5, 2**53 + 1), 2**53 + 1), ((2**33, -1), -1), ((-1, 2**33), 2**33),
                                ((1, "0x10"), "0x10"), ((1, "1e999"), "1e999"), ((1, " 5"), " 5"), ((1, 10**30), 10**30),
                                ((-1, 2**63), 2**63), ((2**63, -1), -1)):
            database, words = self.write_column(*values)
            text = self.bad(3, str(example), *words, env=PLAIN)
            self.assertIn("column p", text)
            self.assertFalse(database.writes)


if __name__ == "__main__":
    harness.main()
