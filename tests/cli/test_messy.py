"""Tables as programs and people write them: a table of files, each with the edges or the sentence that it gives; the
same with one and two threads, compressed and from a pipe."""
import gzip
import re

from harness import Case, main

REFUSED = "refused"

# Header lines over words and over numbers: what the edges are, and what is said of the guess.
HEADERS = {
    "from,to": ("header", "header"),
    "source,target": ("header", "header"),
    "parent,child": ("header", "header"),
    "a,b": ("data", "places"),
    "Von,Nach": ("data", "places"),
    "user_id,follows": ("data", "places"),
    "src,dst,w": ("header", "header"),
    "u v": ("short", "header"),
    "node1;node2": ("header", "header"),
    "Start,End,Length": ("header", "header"),
    "subject,predicate,object": ("header", "third"),
    "x,y,z": (REFUSED, "places third"),
    "id1 id2": ("header", "header"),
    "caller,callee,n": ("places third", "places third"),
}
SAID = {
    "data": "is read as data; --header reads it as the names of the columns",
    "short": "is taken for a header; --no-header reads it as data",
    "places": "names no source and target; ids are read from columns 1 and 2 (--source-column and --target-column",
    "third": "holds numbers and is read as the weights; --weight-column names another, --weights none reads none",
}


class Table(Case):
    def read(self, name, *options, threads=2, stdin=b""):
        """The exit code, the edges as convert writes them, whether directed, and what is said."""
        words = [name, *options, "--threads", threads, "-o", "out.csv", "--json"]
        result = self.run_it("convert", *words, stdin=stdin)
        said = result.stderr.decode()
        if result.returncode:
            return result.returncode, None, None, said
        with open(self.path("out.csv"), encoding="utf-8") as file:
            lines = file.read().split("\n")[1:-1]
        return 0, sorted(lines), b'"directed":true' in result.stdout.replace(b" ", b""), said


class Headers(Table):
    def test_each_over_words_and_numbers(self):
        for header, kinds in HEADERS.items():
            separator = re.search("[,; ]", header)[0]
            columns = header.split(separator)
            for kind, numbers in zip(kinds, (False, True)):
                rows = [["1", "2", "5"], ["2", "3", "7"]] if numbers else [["ann", "bob", "5"], ["bob", "cid", "7"]]
                if not numbers and columns[1] in ("predicate", "y"):
                    rows = [["ann", "knows", "bob"], ["bob", "likes", "cid"]]
                rows = [row[:len(columns)] for row in rows]
                self.write("t.txt", "".join(separator.join(row) + "\n" for row in [columns, *rows]))
                code, edges, _, said = self.read("t.txt")
                where = (header, kind, said)
                if kind == REFUSED:
                    self.assertEqual(code, 3, where)
                    for option in ("--source-column", "--target-column", "--weight-column", "--header"):
                        self.assertIn(option, said)
                    continue
                order = [0, 2, 1] if columns[1] == "predicate" else [0, 1, 2]
                want = [",".join(row[i] for i in order if i < len(row)) for row in rows]
                if columns[1] == "predicate" and not numbers:
                    want = ["ann,bob", "bob,cid"]
                if kind == "data":
                    want.append(",".join(columns))
                self.assertEqual((code, edges), (0, sorted(want)), where)
                parts = [] if kind == "header" else kind.split()
                self.assertEqual(said.count("\n"), len(parts), where)
                for part in parts:
                    self.assertIn(SAID[part], said, where)

    def test_options_decide(self):
        self.write("w.txt", "a,b\nann,bob\n")
        self.assertEqual(self.read("w.txt", "--header")[1], ["ann,bob"])
        self.assertEqual(self.read("w.txt", "--no-header")[1:], (["a,b", "ann,bob"], True, ""))
        self.write("n.txt", "from,to\n1,2\n")
        self.assertEqual(self.read("n.txt", "--no-header", "--ids", "string")[1], ["1,2", "from,to"])
        self.write("w.el", "a b\nann bob\n")
        self.assertEqual(self.read("w.el")[1:], (["a,b", "ann,bob"], True, ""))
        self.write("again.txt", "ann bob\nbob cid\n")
        self.assertEqual(self.read("again.txt")[3], "")


# Name: bytes, options, edges (sorted lines of .csv) or the sentence, what is said besides ("": nothing).
FILES = {
    "pandas index": (b",source,target,weight\n0,a,b,1.5\n1,b,c,2\n", [], ["a,b,1.5", "b,c,2"], ""),
    "pandas index, other names": (b",x,y\n0,5,6\n1,6,7\n", [], ["5,6", "6,7"], "names no source and target"),
    "pandas unnamed": (b"Unnamed: 0,from,to\n0,a,b\n1,b,c\n", [], ["a,b", "b,c"], ""),
    "R row names": (b'"","from","to","n"\n"1","a","b",3\n"2","b","c",4\n', [], ["a,b,3", "b,c,4"],
                    "the column 'n' holds numbers"),
    "Excel semicolons and BOM": (b"\xef\xbb\xbfSource;Target;Weight\r\nK\xc3\xb6ln;Bonn;30\r\n", [], ["Köln,Bonn,30"], ""),
    "Excel decimal commas": (b"Source;Target;Weight\r\nA;B;1,5\r\n", [], "t:2: the weight '1,5' has a decimal comma", ""),
    "Excel UTF-16": ("Source\tTarget\r\nA\tB\r\n".encode("utf-16"), [], "t is UTF-16 text; convert it", ""),
    "Excel UTF-16, big-endian": ("Source;Target\r\nA;B\r\n".encode("utf-16-be"), [], "t is UTF-16 text; convert it", ""),
    "Excel tabs": (b'Source\tTarget\tWeight\r\n"Paris, Texas"\tBonn\t30\r\n', [], ['"Paris, Texas",Bonn,30'], ""),
    "Excel, empty columns": (b"Source;Target;Weight;;\r\nA;B;1;;\r\nB;C;2;;\r\n", [], ["A,B,1", "B,C,2"], ""),
    "trailing commas": (b"source,target,\na,b,\nb,c,\n", [], ["a,b", "b,c"], ""),
    "old Mac line ends": (b"1\r2\r3\r", [], "there is a carriage return inside the line", ""),
    "mixed line ends": (b"source,target\r\na,b\nb,c\r\n", [], ["a,b", "b,c"], ""),
    "Swiss thousands": (b"Source;Target;Weight\r\nA;B;1'234.5\r\n", [], "the weight '1'234.5' has signs that part thousands", ""),
    "German thousands": (b"Source;Target;Weight\r\nA;B;1.234,5\r\n", [], "the weight '1.234,5' has signs that part", ""),
    "currency": (b"Source,Target,Weight\nA,B,$5\n", [], "the weight '$5' is not a number; --weight-column names", ""),
    "thousands": (b'Source,Target,Weight\nA,B,"1,234"\n', [], "t:2: the weight '1,234' has signs that part thousands or decimals",
                  ""),
    "millions": (b'Source,Target,Weight\nA,B,"1,234,567.5"\n', [], "has signs that part thousands", ""),
    "Gephi undirected": (b"Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,1.0\n2,3,Undirected,1,,2.0\n", [],
                         ["1,2,1", "2,1,1", "2,3,2", "3,2,2"], ""),
    "Gephi directed": (b"Source,Target,Type,Id,Label,Weight\n1,2,Directed,0,x,1.0\n", [], ["1,2,1"], ""),
    "Gephi mixed": (b"Source,Target,Type,Weight\n1,2,Directed,1\n2,3,Undirected,1\n", [],
                    "t:3: the type of this edge is 'Undirected', that of the first is Directed", ""),
    "Gephi mixed, settled": (b"Source,Target,Type,Weight\n1,2,Directed,1\n2,3,Undirected,1\n", ["--directed"],
                             ["1,2,1", "2,3,1"], ""),
    "Gephi nodes": (b"Id,Label,timeset\n1,Alice,\n2,Bob,\n", [], "looks like that of a table of vertices", ""),
    "Gephi nodes, two columns": (b"Id,Label\n1,Alice\n2,Bob\n", [], "looks like that of a table of vertices", ""),
    "Gephi edges without weights": (b"Id,Source,Target\n0,a,b\n1,b,c\n", [], ["a,b", "b,c"], ""),
    "Gephi edges, spreadsheet": (b'"Source";"Target";"Type";"Id";"Label";"timeset";"Weight"\r\n"a";"b";"Undirected";"0";"";"";"1.0"\r\n',
                                 [], ["a,b,1", "b,a,1"], ""),
    "pandas index, reset": (b"index,source,target\n0,a,b\n1,b,c\n", [], ["a,b", "b,c"], ""),
    "pandas index of numbers": (b"index,x,y\n0,5,6\n1,6,7\n", [], ["5,6", "6,7"], "ids are read from columns 2 and 3"),
    "another Type": (b"source,target,type\na,b,road\nb,c,rail\n", [], ["a,b", "b,c"], ""),
    "Neo4j": (b":START_ID,:END_ID,:TYPE\n1,2,KNOWS\n2,3,KNOWS\n", [], ["1,2,KNOWS", "2,3,KNOWS"], ""),
    "Neo4j, weights": (b":START_ID,:END_ID,:TYPE,km:double\n1,2,ROAD,3.5\n", ["--columns", "km"],
                       ["1,2,3.5,ROAD"], ""),
    "Neo4j, property of weights": (b":START_ID;:END_ID;:TYPE;weight:double\n1;2;ROAD;3.5\n", [], ["1,2,3.5,ROAD"], ""),
    "SNAP": (b"# Directed graph: web.txt\n# FromNodeId\tToNodeId\n0\t11\n0\t12\n", [], ["0,11", "0,12"], ""),
    "SNAP, words": (b"# FromNodeId\tToNodeId\nann\tbob\nbob\tcid\n", [], ["ann,bob", "bob,cid"], ""),
    "KONECT": (b"% asym weighted\n% 2 3 3\n1 2 5\n2 3 6\n", [], ["1,2,5", "2,3,6"], ""),
    "tabs and spaces": (b"1\t2 5\n2 3\t6\n", [], ["1,2,5", "2,3,6"], ""),
    "many spaces": (b"  1    2   \n 2  3\n", [], ["1,2", "2,3"], ""),
    "aligned words": (b"alice    bob\nbob      carol\n", [], ["alice,bob", "bob,carol"], ""),
    "quoted numbers": (b'"source","target","weight"\n"1","2","5"\n"2","3","6"\n', [], ["1,2,5", "2,3,6"], ""),
    "quoted numbers, no header": (b'"1","2","5"\n"2","3","6"\n', [], ["1,2,5", "2,3,6"], ""),
    "CRLF": (b"source,target\r\na,b\r\nb,c\r\n", [], ["a,b", "b,c"], ""),
    "no last line end": (b"source,target\na,b\nb,c", [], ["a,b", "b,c"], ""),
    "empty lines": (b"\n\nsource,target\n\na,b\n\n\nb,c\n\n", [], ["a,b", "b,c"], ""),
    "duplicate names": (b"source,source,target\na,b,c\n", [], "t:1: columns 1 and 2 have the same name", ""),
    "duplicate names, settled": (b"source,source,target\na,b,c\n", ["--source-column", "2"], ["b,c"], ""),
    "duplicate names of others": (b"source,target,note,note\na,b,x,y\n", [], ["a,b"], ""),
    "line break in quotes": (b'source,target,note\na,b,"one\ntwo"\nb,c,x\n', [], ["a,b", "b,c"], ""),
    "line break, no header": (b'a,"b,\nx"\n', [], "an id is not UTF-8 text, or holds a line end", ""),
    "line break in the header": (b'source,target,"two\nlines"\na,b,x\n', [], ["a,b"], ""),
    "quotes in quotes": (b'source,target\n"say ""hi""",b\n', [], ['"say ""hi""",b'], ""),
    "separator in quotes": (b'from;to\n"a;b";c\n', [], ["a;b,c"], ""),
    "quote in the middle": (b'source,target\na"b,c\n', [], "t:2: a double quote is not where one may be", ""),
    "open quote": (b'source,target\n"a,b\nc,d\n', [], "t:2: a double quote is not where one may be", ""),
    "spaces around fields": (b"source , target , weight\n a , b , 5 \n", [], ["a,b,5"], ""),
    "spaces in quotes": (b'source,target\n" a",b\n', [], ['" a",b'], ""),
    "bars": (b"1|2|5\n2|3|6\n", [], ["1,2,5", "2,3,6"], ""),
    "bars and names": (b"from|to\na|b\n", [], ["a,b"], ""),
    "colons": (b"a:b\nb:c\n", ["--separator", ":"], ["a,b", "b,c"], ""),
    "colons, unsaid": (b"a:b\nb:c\n", [], "1 column found", ""),
    "numbered columns": (b"9,a,b,7\n8,b,c,6\n", ["--source-column", "2", "--target-column", "3", "--weight-column", "4"],
                         ["a,b,7", "b,c,6"], ""),
    "named columns": (b"when,who,whom\n2020,a,b\n2021,b,c\n", ["--source-column", "who", "--target-column", "whom"],
                      ["a,b,2020", "b,c,2021"], "the column 'when' holds numbers"),
    "named columns, other capitals": (b"Key,From Place,To Place\nx,a,b\n", ["--source-column", "from place",
                                                                          "--target-column", "to_place"], ["a,b"], ""),
    "no such column": (b"who,whom\na,b\n", ["--source-column", "wo"], "there is no column 'wo' (--source-column)", ""),
    "column out of range": (b"1,2\n", ["--target-column", "3"], "there is no column '3' (--target-column)", ""),
    "column twice": (b"who,whom\na,b\n", ["--source-column", "1", "--target-column", "who"], "name the same column", ""),
    "wide, no names": (b"1,2,3,4\n2,3,4,5\n", [], "4 columns found, but an edge list has 2 or 3", ""),
    "wide, names unknown": (b"id,code,name,lat\n1,2,x,4\n", [], "looks like that of a table of vertices", ""),
    "three columns of words": (b"a,knows,b\nb,likes,c\n", [], "3 columns of words found", ""),
    "the weight is not third": (b"distance,origin,destination\n5,a,b\n", [], ["a,b,5"], ""),
    "Kaggle": (b"user_id,item_id,rating,timestamp\n1,10,5,881250949\n2,20,3,881250950\n", [],
               "t:1: no columns are named source and target among the 4", ""),
    "Kaggle, settled": (b"user_id,item_id,rating,timestamp\n1,10,5,881250949\n", ["--source-column", "user_id",
                        "--target-column", "item_id", "--weight-column", "rating"], ["1,10,5"], ""),
    "missing weight, a word": (b"source,target,weight\na,b,1\nb,c,n/a\n", [],
                               "t:3: the weight 'n/a' is not a number; --default-weight says", ""),
    "one wrong weight": (b"a,b,w\nann,bob,5\nbob,cid,x\ncid,ann,7\n", [], "t:3: the weight 'x' is not a number", ""),
    "one wrong weight, skipped": (b"a,b,w\nann,bob,5\nbob,cid,x\ncid,ann,7\n", ["--skip-bad"], ["ann,bob,5", "cid,ann,7"],
                                  "ids are read from columns 1 and 2|t:3: skipped: the weight 'x'|1 line is skipped"),
    "one wrong number in a third column": (b"from,to,n\n1,2,5\n2,3,x\n3,1,7\n", [],
                                           "t:3: the weight 'x' is not a number; --weight-column names another column", ""),
    "one wrong number, no names": (b"caller,callee,n\na,b,5\nb,c,x\nc,a,7\n", [], "t:3: the weight 'x' is not a number", ""),
    "one wrong number, skipped": (b"a b 5\nb c x\nc a 7\nd a\n", ["--skip-bad", "--default-weight", "1"],
                                  ["a,b,5", "c,a,7", "d,a,1"], "t:2: skipped: the weight 'x'|1 line is skipped"),
    "one number in a third column": (b"from,to,n\n1,2,x\n2,3,y\n3,1,7\n", [], ["1,2", "2,3", "3,1"], ""),
    "missing weight": (b"source,target,weight\na,b,1\nb,c,\n", [], "t:3: the weight is missing", ""),
    "default weight": (b"source,target,weight\na,b,1\nb,c,\nc,d,NA\n", ["--default-weight", "2.5"],
                       ["a,b,1", "b,c,2.5", "c,d,2.5"], ""),
    "default weight, short lines": (b"a b 1\nb c\nc a 3\n", ["--default-weight", "2"], ["a,b,1", "b,c,2", "c,a,3"], ""),
    "default weight, no column": (b"a b\nb c\n", ["--default-weight", "7"], ["a,b,7", "b,c,7"], ""),
    "bad lines": (b"source,target,weight\na,b,1\nb,c,soon\nx\nc,d,3\ne,,1\nf,g,1,1\n", ["--skip-bad"],
                  ["a,b,1", "c,d,3"], "t:3: skipped: the weight 'soon' is not a number|t:4: skipped: 1 column found|"
                  "t:6: skipped: an id is missing|t: 4 lines are skipped (--skip-bad), the first of them line 3"),
    "bad lines of numbers": (b"1 2\n2 x\n3 4 5\n4 5\n", ["--skip-bad", "--ids", "integer"], ["1,2", "4,5"],
                             "t:2: skipped: the id 'x'|t:3: skipped: 3 columns found|2 lines are skipped"),
    "bad lines, nothing wrong": (b"1 2\n2 3\n", ["--skip-bad"], ["1,2", "2,3"], ""),
    "bad lines of a counted format": (b"p sp 2 1\na 1 2 x\n", ["--skip-bad"], "in which --skip-bad has no meaning", ""),
    "footer": (b"source,target\na,b\nTotal: 1\n", ["--skip-bad"], ["a,b"], "t:3: skipped: 1 column found|1 line is"),
    "comment in data": (b"a,b\n# nothing\nb,c\n", [], ["a,b", "b,c"], ""),
    "a vertex first": (b"5\n1 2\n2 3\n", [], ["1,2", "2,3"], "t:1: lines with a single id (1,"),
    "a column of numbers": (b"5\n1\n2\n", [], "t:1: 1 column found", ""),
    "two names of weights": (b"source,target,cost,distance\na,b,1,2\n", [], ["a,b,1"],
                             "columns 3 and 4 could both hold the weights; column 3 is read (--weight-column settles it)"),
    "a column that is none of these": (b"source,target,cost:column\na,b,1\n", [], ["a,b"], ""),
    "tabs in quotes": (b'source,target,weight,"a\tb"\na,b,5,1\n', ["--columns", "a\tb"], ["a,b,5,1"], ""),
    "said to be an edge list": (b"# format el\nsource\ttarget\n", [], ["source,target"], ""),
    "one line": (b"source,target\n", [], [], "holds no edges"),
    "nothing": (b"", [], [], "no edges"),
    "Latin-1": (b"source,target\nK\xf6ln,Bonn\n", [], "t:2: an id is not UTF-8 text", ""),
    "zero bytes": (b"1 2\n3 \0004\n", [], "holds zero bytes", ""),
}


class Messy(Table):
    def check(self, label, got, want, said):
        code, edges, _, text = got
        if isinstance(want, str):
            self.assertEqual(code, 3, (label, got))
            self.assertIn(want, text, label)
            self.assertEqual(text.count("\n"), 1, (label, text))
            return
        self.assertEqual((code, edges), (0, sorted(want)), (label, text))
        self.assertEqual(bool(text), bool(said), (label, text))
        for part in said.split("|"):
            self.assertIn(part, text, label)

    def test_files(self):
        self.assertGreaterEqual(len(FILES), 60)
        for label, (data, options, want, said) in FILES.items():
            with self.subTest(label):
                self.check_file(label, data, options, want, said)

    def check_file(self, label, data, options, want, said):
        self.write("t", data)
        self.check(label, self.read("t", *options, threads=1), want, said)
        self.check(label, self.read("t", *options), want, said)
        self.check(label, self.read("-", *options, stdin=data),
                   *(part.replace("t:", "standard input:") if isinstance(part, str) else part for part in (want, said)))
        if data:
            self.write("t", gzip.compress(data))
            self.check(label, self.read("t", *options), want, said)



if __name__ == "__main__":
    main()
