"""What a database can make pull and write-back spend: memory beyond --memory, time beyond --timeout and --deadline, and
time that grows with the square of what it sends."""
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import harness  # noqa: E402
from databases import PLAIN, Databases  # noqa: E402

RESIDENT = 300 << 20  # bytes that a process may have at most with a budget of 200 MB


class Limits(Databases):
    def spend(self, *words):
        """Runs it; the exit code, the sentence, and the most memory that it had."""
        with open(self.path("stderr"), "wb") as stderr:
            process = subprocess.Popen([harness.MEGURI, *map(str, words)], cwd=self.folder, stdout=subprocess.DEVNULL,
                                       stderr=stderr, env=dict(os.environ, **PLAIN), preexec_fn=harness.default_signals)
            limit = time.monotonic() + 120
            while time.monotonic() < limit:
                pid, status, used = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                time.sleep(0.02)
            else:
                process.kill()
                process.wait()
                self.fail(f"{words} does not end")
        process.returncode = os.waitstatus_to_exitcode(status)
        self.used = 0 if harness.SANITIZED else used.ru_utime + used.ru_stime
        with open(self.path("stderr"), encoding="utf-8") as file:
            text = file.read()
        os.unlink(self.path("stderr"))
        return process.returncode, text, used.ru_maxrss << 10

    def within(self, code, part, *words):
        found, text, resident = self.spend(*words)
        self.assertEqual((found, text.count("\n")), (code, 1), text)
        self.assertIn(part, text)
        if not harness.SANITIZED:
            self.assertLess(resident, RESIDENT, text)
        return text

    def result(self, **faults):
        """A cache and a result of it; the next query is the first of a write-back."""
        database = self.database([{"id": i} for i in range(100)], [])
        self.pull(database.uri())
        self.good("components", "c.meg", "-o", "c.npy", "--quiet")
        database.faults.update(faults)
        return database, ("write-back", "c.meg", "--result", "c.npy", "--property", "part", database.uri())


class Memory(Limits):
    def test_records_without_end(self):
        for after in (3, 4):  # a share of nodes, one of relationships
            database = self.random_database(flood_after=after, flood="records")
            self.within(4, "not enough memory for what a database sends", "pull", database.uri(), "-o", "c.meg", "--memory", "200M")
            self.assertNotIn("c.meg", self.names())

    def test_empty_records_without_end(self):
        database = self.random_database(flood_after=3, flood="records", record=[])
        self.within(4, "not enough memory for", "pull", database.uri(), "-o", "c.meg", "--memory", "100M", "--connections", 1)

    def test_a_message_without_end(self):
        database = self.random_database(flood_after=3, flood="one message")
        self.within(4, "not enough memory for", "pull", database.uri(), "-o", "c.meg", "--memory", "50M")
        self.within(5, "a message is larger than the 64 MiB", "pull", database.uri(), "-o", "c.meg", "--memory", "200M")

    def test_an_answer_to_a_question_without_end(self):
        for after in (0, 1, 2):  # how many nodes, how many relationships, what it calls itself
            database = self.random_database(flood_after=after, flood="records", record=[1, 1])
            self.within(5, "several answers to a question", "pull", database.uri(), "-o", "c.meg", "--memory", "200M")

    def test_write_back(self):
        database, words = self.result()
        database.faults.update(flood_after=database.queries + 1, flood="records")
        self.within(4, "not enough memory for", *words, "--memory", "100M")
        database.faults.update(flood_after=database.queries)
        self.within(5, "several answers", *words, "--memory", "100M")

    def test_far_ids(self):
        for far in (2**34, 2**40, 2**62):
            database = self.database([{"id": 0}, {"id": far}], [], weight="w")
            self.within(4, "memory", "pull", database.uri(), "-o", "c.meg", "--memory", "50M")
            database = self.database([{"id": 0}], [(8 * far, 0, 0, "R", 1)] if far < 2**60 else [(far, 0, 0, "R", 1)])
            self.within(4, "memory", "pull", database.uri(), "-o", "c.meg", "--memory", "50M")

    def test_degrees_beyond_belief(self):
        class Boasting(type(self.database([], []))):
            def answer(self, query, parameters):
                for record in super().answer(query, parameters):
                    yield [record[0], [self.faults["degree"]] * len(record[0])] if "size(" in query or "COUNT {" in query else record

        for degree, code, part in ((2**46, 4, "not enough memory for the list of shares"), (2**62, 5, "do not fit together")):
            database = Boasting([{"id": 0, "labels": ["A"]}], [], degree=degree)
            self.addCleanup(database.close)
            self.within(code, part, "pull", database.uri(), "--labels", "A", "-o", "c.meg", "--memory", "200M")


class Squares(Limits):
    """Each would take many minutes if its time grew with the square of what comes."""

    def test_types(self):
        count = 65536  # in one share
        rows = [(i, i % 10, i * 3 % 10, f"A type of relationships that has the number {i:06}", 1) for i in range(count)]
        database = self.database([{"id": i} for i in range(10)], rows)
        self.assertEqual(self.pull(database.uri(), "--timeout", 600)["edges"], count)
        self.assertEqual(len({line.rsplit(",", 1)[1] for line in self.edges()}), count)
        rows.append((count, 0, 0, "one more", 1))  # of another share
        self.assertEqual(self.pull(database.uri(), "--timeout", 600)["edges"], count + 1)
        self.assertEqual(len({line.rsplit(",", 1)[1] for line in self.edges()}), count + 1)

    def test_a_million_types(self):
        class Lying(type(self.database([], []))):
            def groups(self, ids, parameters, short, by_id):
                for i in range(10**6):
                    yield [f"T{i}", [0], [0], [parameters["a"]]]

        database = Lying([{"id": 0}], [(0, 0, 0, "R", 1)])
        self.addCleanup(database.close)
        self.assertEqual(self.spend("pull", database.uri(), "-o", "d.meg", "--timeout", 600, "--memory", "200M")[0], 0)
        self.assertEqual([c["names"] for c in self.json("info", "d.meg")["columns"] if c["kind"] == "types"], [10**6])

    def test_databases(self):
        """Shares of the last of some databases behind many of the others."""
        databases = [self.database([{"id": 0}, {"id": 8192 * 200}], [], mark=f"m{i}", key="uid") for i in range(20)]
        for i, database in enumerate(databases):
            for k, node in enumerate(database.nodes):
                node["uid"] = 2 * i + k
        found = self.pull(*(database.uri() for database in databases), "--key", "uid", "--connections", 1)
        self.assertEqual((found["vertices"], found["databases"]), (40, 20))


    def test_many_databases_that_are_not_there(self):
        """The first failure ends the work; it was told to every worker by every other."""
        gone = self.database([], [])
        gone.close()
        port = gone.port
        self.write("c.json", json.dumps({"databases": [f"bolt://127.0.0.1:{port}/d{i}" for i in range(60000)], "connections": 1}))
        code, text, _ = self.spend("pull", "c.json", "-o", "c.meg", "--timeout", 20)
        self.assertEqual(code, 5, text)
        self.assertLess(self.used, 5)

    def test_keys_that_collide(self):
        """Multiples of a number that a simple hash would put into one place."""
        inverse = pow(0x9E3779B97F4A7C15, -1, 2**64)
        keys = [(j * (2**32 + 1) * inverse % 2**64) for j in range(1, 100001)]
        keys = [key - 2**64 if key >= 2**63 else key for key in keys]
        database = self.database([{"id": i, "uid": key} for i, key in enumerate(keys)], [], key="uid")
        code, text, _ = self.spend("pull", database.uri(), "--key", "uid", "-o", "c.meg")
        self.assertEqual(code, 0, text)
        self.assertLess(self.used, 3)


class Time(Limits):
    def ends(self, part, *words):
        start = time.monotonic()
        code, text, _ = self.spend(*words)
        self.assertEqual((code, text.count("\n")), (5, 1), text)
        self.assertIn(part, text)
        self.assertLess(time.monotonic() - start, 60)

    def test_nothing_but_records_counts(self):
        for kind in ("signs of life", "more", "bytes"):
            for after in (0, 3):
                database = self.random_database(flood_after=after, flood=kind)
                self.ends("there was no answer in time", "pull", database.uri(), "-o", "c.meg", "--timeout", 0.4)
            database, words = self.result()
            database.faults.update(flood_after=database.queries + 1, flood=kind)
            self.ends("there was no answer in time", *words, "--timeout", 0.4)

    def test_records_that_come_in_time_are_enough(self):
        """However long it takes: here each in less than the time-out, and all of them in more."""
        database = self.random_database(flood_after=3, flood="slow records")
        self.ends("the deadline of 2.5 seconds has passed", "pull", database.uri(), "-o", "c.meg", "--timeout", 2, "--deadline", 2.5)

    def test_deadline(self):
        for faults in ({"silent": True}, {"hang_after": 0}, {"hang_after": 3}, {"flood_after": 3, "flood": "bytes"}):
            database = self.random_database(**faults)
            self.ends("the deadline of 0.5 seconds has passed", "pull", database.uri(), "-o", "c.meg", "--deadline", 0.5)
            self.assertNotIn("c.meg", self.names())
        database, words = self.result()
        database.faults.update(flood_after=database.queries + 1, flood="slow records")
        self.ends("the deadline of 0.5 seconds has passed", *words, "--deadline", 0.5)
        database.faults.clear()
        self.assertEqual(self.json(*words, "--deadline", 60, env=PLAIN)["written"], 100)

    def test_of_a_configuration(self):
        database = self.random_database(hang_after=3)
        self.write("c.json", f'{{"databases": ["{database.uri()}"], "deadline": 0.5}}')
        self.ends("the deadline of 0.5 seconds has passed", "pull", "c.json", "-o", "c.meg")
        self.bad(2, '"deadline" must be', "pull", "c.json", "-o", "c.meg", "--deadline", 0, env=PLAIN)


if __name__ == "__main__":
    harness.main()
