"""Compute devices from outside: the list, who is chosen and who refused, searches like the host's, kernels in Oclgrind."""
import json
import os

from harness import Case, main

OCLGRIND = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"
NONE = {"OCL_ICD_VENDORS": "/nonexistent"}


class Device(Case):
    def need_device(self):
        self.need(self.json("devices")["devices"], "an OpenCL device")

    def table(self, name):
        with open(self.path(name)) as file:
            return [line.split("\t") for line in file.read().splitlines()]

    def test_list(self):
        self.need_device()
        devices = self.json("devices")["devices"]
        self.assertEqual([d["number"] for d in devices], list(range(len(devices))))
        self.assertEqual(sum(d["default"] for d in devices), 1)
        text = self.good("devices")
        for device in devices:
            self.assertIn(device["name"], text)
            self.assertIn(device["kind"], ("gpu", "cpu", "accelerator"))
            self.assertGreater(device["memory_bytes"], 0)

    def test_none(self):
        found = self.json("devices", env=NONE)
        self.assertEqual(found["devices"], [])
        self.assertIn("OpenCL", found["reason"])
        self.assertIn("no devices: ", self.good("devices", env=NONE))
        self.good("gen", "kronecker", "--scale", 4, "-q", "-o", "g.meg")
        self.bad(5, "there is no device: ", "bfs", "g.meg", "--source", 1, "--engine", "device", env=NONE)
        self.assertEqual(self.json("bfs", "g.meg", "--source", 1, env=NONE)["engine"], "host")

    def test_refused(self):
        self.good("gen", "kronecker", "--scale", 4, "-q", "-o", "g.meg")
        self.write("ids", "1\n2\n")
        bfs = ("bfs", "g.meg", "--source", 1)
        self.bad(2, "--split is about the engine device", *bfs, "--split", "1:1")
        for wrong in ("1", "1:", ":1", "0:0", "1:2:3", "a:b", "1:-1", "1:1000000", "99999999999999:1", ""):
            self.bad(2, "--split ", *bfs, "--engine", "device", "--split", wrong)
        self.bad(2, "--device is about the engine device", *bfs, "--device", "cpu")
        self.bad(2, "--device-memory is about the engine device", *bfs, "--device-memory", "1G", "--engine", "host")
        self.bad(2, "--split is for one --source", "bfs", "g.meg", "--sources", "ids", "--engine", "device", "--split", "1:1")
        for verb in ("cores", "triangles"):
            self.bad(5, "does not run on the engine", verb, "g.meg", "--engine", "device")
        self.need_device()
        self.bad(5, 'there is no device "absent" here', *bfs, "--engine", "device", "--device", "absent")
        self.bad(4, "not enough memory on the device", *bfs, "--engine", "device", "--device-memory", "100")

    def test_auto_takes_none(self):
        """A CPU that poses as a device is never chosen by itself."""
        self.good("gen", "kronecker", "--scale", 8, "-q", "-o", "g.meg")
        self.assertEqual(self.json("bfs", "g.meg", "--source", 1)["engine"], "host")

    def test_bfs(self):
        self.need_device()
        self.good("gen", "kronecker", "--scale", 10, "-q", "-o", "k.meg")
        self.good("gen", "rmat", "--scale", 10, "-q", "-o", "r.meg")
        self.good("gen", "grid", "--width", 30, "--height", 40, "-q", "-o", "g.meg")
        for graph in ("k.meg", "r.meg", "g.meg"):
            self.good("bfs", graph, "--source", 1, "-q", "-o", "host.tsv")
            levels = [row[:2] for row in self.table("host.tsv")]
            for policy in ("auto", "push", "pull", "p1"):
                found = self.json("bfs", graph, "--source", 1, "--policy", policy, "--engine", "device", "--split", "0:1", "--check", "-o", "d.tsv",
                                  "--trace", "t.json")
                self.assertEqual(found["engine"], "device")
                self.assertTrue(found["checked"])
                self.assertEqual([row[:2] for row in self.table("d.tsv")], levels)
                with open(self.path("t.json")) as file:
                    self.assertIn('"engine":"device"', file.read())

    def test_bfs_in_parts_and_shared(self):
        self.need_device()
        self.good("gen", "kronecker", "--scale", 12, "--edgefactor", 64, "-q", "-o", "k.meg")
        self.good("bfs", "k.meg", "--source", 1, "-q", "-o", "host.tsv")
        levels = [row[:2] for row in self.table("host.tsv")]
        for split in ("0:1", "1:0", "1:3", "1:1", "auto"):
            for memory in ("1G", "200K"):
                found = self.json("bfs", "k.meg", "--source", 1, "--engine", "device", "--device-memory", memory, "--split", split,
                                  "--check", "-o", "d.tsv")
                self.assertEqual([row[:2] for row in self.table("d.tsv")], levels)
                self.assertEqual(found["parts"] > 1, memory == "200K")
                if split == "0:1":
                    self.assertEqual(found["host_edges"], 0)

    def test_several(self):
        """Two devices share the arcs."""
        self.need_device()
        two = {"POCL_DEVICES": "pthread pthread"}
        self.good("gen", "kronecker", "--scale", 10, "-q", "-o", "k.meg")
        self.good("bfs", "k.meg", "--source", 1, "-q", "-o", "host.tsv")
        arcs = 2 * self.json("info", "k.meg")["edges"]
        names = "0,1" if len(self.json("devices", env=two)["devices"]) > 1 else "0,0"
        bfs = ("bfs", "k.meg", "--source", 1, "--engine", "device", "--device")
        found = self.json(*bfs, names, "--split", "0:1", "--check", "-o", "d.tsv", env=two)
        self.assertEqual((found["devices"], found["host_edges"]), (2, 0))
        self.assertLessEqual(found["device_arcs"], 1.1 * arcs / 2)
        self.assertEqual([row[:2] for row in self.table("d.tsv")], [row[:2] for row in self.table("host.tsv")])
        self.bad(2, "has no name", *bfs, "0,,0")
        self.bad(5, 'there is no device "absent" here', *bfs, "0,absent")

    def test_other_verbs_on_several(self):
        """PageRank, components and many sources, also in parts where they come in parts."""
        self.need_device()
        two = {"POCL_DEVICES": "pthread pthread"}
        self.good("gen", "kronecker", "--scale", 10, "--edgefactor", 48, "-q", "-o", "k.meg")
        self.good("gen", "rmat", "--scale", 10, "--edgefactor", 48, "-q", "-o", "r.meg")
        self.write("ids", "".join(f"{i}\n" for i in range(0, 60)))
        names = "0,1" if len(self.json("devices", env=two)["devices"]) > 1 else "0,0"
        for graph in ("k.meg", "r.meg"):
            arcs = self.json("info", graph)["arcs"]
            for verb, *options in (("pagerank",), ("components",), ("bfs", "--sources", "ids")):
                self.good(verb, graph, *options, "-q", "-o", "host.tsv")
                for memory in ("1G", "60K")[:1 if verb == "bfs" else 2]:
                    found = self.json(verb, graph, *options, "--engine", "device", "--device", names, "--device-memory", memory,
                                      "--check", "-o", "d.tsv", env=two)
                    self.assertEqual((found["engine"], found["checked"], found["devices"]), ("device", True, 2))
                    self.assertLessEqual(abs(found["device_arcs"] - arcs / 2), arcs / 20)
                    if verb != "bfs":
                        self.assertEqual(found["parts"] > 0, memory == "60K")
                    if verb != "pagerank":
                        self.assertEqual(self.table("d.tsv"), self.table("host.tsv"))
                        continue
                    for ours, theirs in zip(self.table("d.tsv")[1:], self.table("host.tsv")[1:]):
                        self.assertLessEqual(abs(float(ours[1]) - float(theirs[1])), 1e-12 * float(theirs[1]))

    def test_shortest_paths_on_several(self):
        self.need_device()
        self.good("gen", "grid", "--width", 30, "--height", 30, "--links", 20, "-q", "-o", "roads.meg")
        self.good("sssp", "roads.meg", "--source", 1, "-q", "-o", "host.tsv")
        arcs = 2 * self.json("info", "roads.meg")["edges"]
        sssp = ("sssp", "roads.meg", "--source", 1, "--engine", "device", "--device", "0,0")
        for strategy in ("near-far", "settle"):
            found = self.json(*sssp, "--strategy", strategy, "--split", "0:1", "--check", "-o", "d.tsv")
            self.assertEqual((found["devices"], found["host_edges"]), (2, 0))
            self.assertLessEqual(found["device_arcs"], 1.1 * arcs / 2)
            self.assertEqual([row[:2] for row in self.table("d.tsv")], [row[:2] for row in self.table("host.tsv")])
            found = self.json(*sssp, "--strategy", strategy, "--check", "-o", "d.tsv")
            self.assertEqual([row[:2] for row in self.table("d.tsv")], [row[:2] for row in self.table("host.tsv")])
        self.bad(5, "near-far and settle share it among several", *sssp, "--strategy", "all")
        self.bad(2, "rounds of sssp are not shared", *sssp, "--split", "1:1")
        self.bad(2, "--split is about the engine device", "sssp", "roads.meg", "--source", 1, "--split", "0:1")
        self.good("path", "roads.meg", "--from", 1, "--to", 400, "--engine", "device", "--device", "0,0", "--algorithm", "dijkstra", "--check")

    def test_pagerank(self):
        self.need_device()
        self.good("gen", "kronecker", "--scale", 10, "-q", "-o", "k.meg")
        self.good("gen", "rmat", "--scale", 10, "-q", "-o", "r.meg")
        for graph in ("k.meg", "r.meg"):
            self.good("pagerank", graph, "-q", "-o", "host.tsv")
            for more in ((), ("--device", "0", "--device-memory", "1G")):
                found = self.json("pagerank", graph, "--engine", "device", *more, "--check", "-o", "d.tsv", "--trace", "t.json")
                self.assertEqual(found["engine"], "device")
                self.assertTrue(found["checked"])
                for ours, theirs in zip(self.table("d.tsv")[1:], self.table("host.tsv")[1:]):
                    self.assertEqual(ours[0], theirs[0])
                    self.assertLessEqual(abs(float(ours[1]) - float(theirs[1])), 1e-12 * float(theirs[1]))
                with open(self.path("t.json")) as file:
                    self.assertEqual(file.read().count('"engine":"device"'), found["iterations"])

    def test_components(self):
        self.need_device()
        self.good("gen", "kronecker", "--scale", 10, "--edgefactor", 2, "-q", "-o", "k.meg")
        self.good("gen", "uniform", "--vertices", 2000, "--edges", 1500, "-q", "-o", "u.meg")
        for graph in ("k.meg", "u.meg"):
            here = self.json("components", graph, "-o", "host.tsv")
            found = self.json("components", graph, "--engine", "device", "--check", "-o", "d.tsv", "--trace", "t.json")
            self.assertEqual(found["engine"], "device")
            self.assertTrue(found["checked"])
            self.assertEqual((found["components"], found["largest"]), (here["components"], here["largest"]))
            self.assertEqual(self.table("d.tsv"), self.table("host.tsv"))
            with open(self.path("t.json")) as file:
                self.assertIn('"engine":"device"', file.read())

    def test_sssp(self):
        """Every strategy, and a line of the trace for every phase; adaptive begins with the list and changes over."""
        self.need_device()
        self.good("gen", "kronecker", "--scale", 9, "--weights", "f32", "-q", "-o", "k.meg")
        self.good("gen", "grid", "--width", 30, "--height", 40, "--links", 20, "-q", "-o", "g.meg")
        for graph in ("k.meg", "g.meg"):
            self.good("sssp", graph, "--source", 1, "-q", "-o", "host.tsv")
            distances = [row[:2] for row in self.table("host.tsv")]
            for strategy in ("auto", "all", "selected", "adaptive", "near-far", "settle"):
                more = ("--all-above", 1, "--selected-below", 1) if strategy == "adaptive" else ()
                found = self.json("sssp", graph, "--source", 1, "--strategy", strategy, *more, "--engine", "device", "--check",
                                  "-o", "d.tsv", "--trace", "t.json")
                self.assertEqual((found["engine"], found["strategy"]), ("device", "near-far" if strategy == "auto" else strategy))
                self.assertTrue(found["checked"])
                self.assertEqual([row[:2] for row in self.table("d.tsv")], distances)
                with open(self.path("t.json")) as file:
                    steps = [step for step in map(json.loads, file) if step["run"] == "sssp"]
                phases = [step for step in steps if step["phase"] in ("phase", "near", "settle")]
                if found["strategy"] == "near-far":  # short phases share a launch, and a line
                    self.assertLessEqual(len(phases), found["phases"])
                else:
                    self.assertEqual(len(phases), found["phases"])
                    self.assertEqual(phases[0]["frontier"], 1)
                self.assertEqual((phases[0]["strategy"], phases[0]["searches"]), (found["strategy"], 1))
                self.assertEqual(phases[0]["vertices"], len(distances) - 1)  # a table has a head
                self.assertFalse([step for step in steps if "strategy" in step and step is not phases[0]])
                ways = [step["way"] for step in phases]
                if strategy == "adaptive":
                    self.assertEqual(ways, ["selected"] + ["all"] * (len(ways) - 1))
                    self.assertEqual(found["all_above_us"], 1)
                    self.assertEqual([phases[0][k] for k in ("thresholds", "all_above_us", "selected_below_us")], ["given", 1, 1])
                elif strategy in ("all", "selected"):
                    self.assertEqual(set(ways), {strategy})
                if strategy in ("selected", "adaptive"):
                    self.assertEqual([step["frontier"] for step in phases], changed)
                changed = [step["frontier"] for step in phases]

    def test_bfs_of_many(self):
        """As many columns as there are sources, in passes of 64, like the host's."""
        self.need_device()
        self.good("gen", "kronecker", "--scale", 9, "-q", "-o", "k.meg")
        self.good("gen", "rmat", "--scale", 9, "-q", "-o", "r.meg")
        self.good("gen", "grid", "--width", 20, "--height", 30, "-q", "-o", "g.meg")
        self.write("ids", "".join(f"{i}\n" for i in range(0, 40)))
        self.write("more", "".join(f"{i}\n" for i in range(0, 100)))
        for graph in ("k.meg", "r.meg", "g.meg"):
            self.good("bfs", graph, "--sources", "ids", "-q", "-o", "host.tsv")
            found = self.json("bfs", graph, "--sources", "ids", "--engine", "device", "--check", "-o", "d.tsv", "--trace", "t.json")
            self.assertEqual((found["engine"], found["checked"]), ("device", True))
            self.assertEqual(self.table("d.tsv"), self.table("host.tsv"))
            with open(self.path("t.json")) as file:
                self.assertIn("device", {step["engine"] for step in map(json.loads, file) if step["run"] == "bfs_many"})
        self.assertTrue(self.json("bfs", "k.meg", "--sources", "more", "--engine", "device", "--check")["checked"])

    def test_in_parts(self):
        """Near and far, settle and paths on less memory than the graph needs; what needs all of it."""
        self.need_device()
        self.good("gen", "kronecker", "--scale", 10, "--edgefactor", 64, "--weights", "f32", "-q", "-o", "k.meg")
        self.good("sssp", "k.meg", "--source", 1, "-q", "-o", "host.tsv")
        distances = [row[:2] for row in self.table("host.tsv")]
        small = ("--engine", "device", "--device-memory", "200K")
        for strategy in ("near-far", "settle"):
            found = self.json("sssp", "k.meg", "--source", 1, "--strategy", strategy, *small, "--check", "-o", "d.tsv")
            self.assertEqual([row[:2] for row in self.table("d.tsv")], distances)
            self.assertGreater(found["parts"], 1)
        for strategy in ("all", "selected", "adaptive"):
            self.bad(4, "near-far and settle take it in parts", "sssp", "k.meg", "--source", 1, "--strategy", strategy, *small)
        for verb in ("pagerank", "components"):
            found = self.json(verb, "k.meg", *small, "--check")
            self.assertTrue(found["checked"])
            self.assertGreater(found["parts"], 1)
        for algorithm in ("dijkstra", "shortest"):
            self.good("path", "k.meg", "--from", 1, "--to", 99, "--to", 500, "--algorithm", algorithm, *small, "--check")

    def test_path(self):
        """Paths like the host's, in every form; types, many questions; what is refused."""
        self.need_device()
        self.good("gen", "grid", "--width", 30, "--height", 40, "--links", 20, "-q", "-o", "g.meg")
        self.write("t.csv", "from,to,weight,type\n" + "".join(f"{i},{i + 1 + i % 7},{1 + i % 5},{'AB'[i % 2]}\n" for i in range(60)))
        self.good("build", "t.csv", "--columns", "type:type", "--directed", "-q", "-o", "t.meg")
        self.write("pairs", "".join(f"{i // 3} {40 * i}\n" for i in range(1, 25)))
        device = ("--engine", "device", "--check")
        for algorithm in ("dijkstra", "shortest", "auto"):
            ask = ("path", "g.meg", "--algorithm", algorithm)
            costs = []
            for more in ((), device):
                self.good(*ask, *more, "--pairs", "pairs", "-q", "-o", "p.jsonl")
                with open(self.path("p.jsonl")) as file:
                    lines = [json.loads(line) for line in file]
                costs.append([line["hops" if algorithm == "shortest" else "cost"] for line in lines if "hops" in line])
            self.assertEqual(costs[0], costs[1])
            self.assertGreater(len(costs[0]), 20)
            for form in ((), ("--json",), ("--lines",), ("--csv",), ("-o", "p.tsv"), ("--geojson", "p.geojson")):
                self.good(*ask, "--from", 3, "--to", 1100, *form, *device)
            for types in ("A", "B", "A,B"):
                found = [self.json("path", "t.meg", "--from", 0, "--to", 12, "--types", types, "--algorithm", algorithm, *more)
                         for more in ((), device)]
                self.assertEqual(*([(p["hops"] if algorithm == "shortest" else p["cost"]) for p in f["paths"]] for f in found))
        found = self.json("path", "g.meg", "--from", 3, "--to", 1100, "--trace", "t.json", *device)
        self.assertEqual(found["algorithm"], "dijkstra")
        with open(self.path("t.json")) as file:
            self.assertIn("device", {step.get("engine") for step in map(json.loads, file) if step["run"] == "path"})
        ask = ("path", "g.meg", "--from", 3, "--to", 1100, "--engine", "device")
        for algorithm in ("astar", "bidirectional", "tree", "all-shortest", "yens"):
            self.bad(5, f"the path algorithm {algorithm} does not run on a device", *ask, "--algorithm", algorithm)
        self.bad(5, "a maximum of edges for the path algorithm dijkstra", *ask, "--algorithm", "dijkstra", "--max-hops", 5)
        self.bad(5, "a maximum cost for the path algorithm shortest", *ask, "--algorithm", "shortest", "--max-cost", 5)
        self.bad(2, "has no index", *ask, "--index")

    def test_oclgrind(self):
        """No races, nothing out of bounds. Reads that may see an old value are made exact for it."""
        self.need(os.path.exists(OCLGRIND), "Oclgrind")
        self.good("gen", "kronecker", "--scale", 7, "-q", "-o", "k.meg")
        self.good("gen", "rmat", "--scale", 6, "-q", "-o", "r.meg")
        os.mkdir(self.path("cache"))
        env = {"OCL_ICD_VENDORS": OCLGRIND, "OCLGRIND_DATA_RACES": "1", "OCLGRIND_CHECK_API": "1",
               "OCLGRIND_LOG": self.path("log"), "XDG_CACHE_HOME": self.path("cache"),
               "MEGURI_KERNEL_OPTIONS": "-D EXACT_READS"}
        runs = [("bfs", "--source", 1, "--split", "0:1", "--policy", policy) for policy in ("push", "pull", "p1")]
        runs += [("bfs", "--source", 1, "--split", "0:1", "--policy", policy, "--device-memory", "100K") for policy in ("push", "pull")]
        runs += [("pagerank", "--iterations", 2), ("pagerank", "--iterations", 2, "--device-memory", "12K"), ("components",), ("bfs", "--sources", "ids", "--parents")]
        runs += [(*run, "--device", "0,0") for run in (("bfs", "--source", 1, "--split", "0:1"), ("pagerank", "--iterations", 2), ("components",), ("bfs", "--sources", "ids"))]
        self.write("ids", "".join(f"{i}\n" for i in range(1, 40)))
        runs += [("sssp", "--source", 1, "--split", "0:1", "--strategy", strategy) for strategy in ("all", "selected", "near-far", "settle")]
        runs += [("sssp", "--source", 1, "--strategy", "adaptive", "--all-above", 1, "--selected-below", 1e9)]
        runs += [("sssp", "--source", 1, "--split", "0:1", "--strategy", "near-far", "--device-memory", "15K")]
        runs += [("path", "--from", 1, "--to", 7, "--to", 20, "--algorithm", algorithm) for algorithm in ("dijkstra", "shortest")]
        self.good("gen", "kronecker", "--scale", 5, "--weights", "f32", "-q", "-o", "f.meg")
        self.good("gen", "grid", "--width", 5, "--height", 6, "-q", "-o", "g.meg")
        self.good("gen", "rmat", "--scale", 6, "--edgefactor", 400, "--keep-duplicates", "-q", "-o", "dense.meg")
        dense = ("components", "--device-memory", "26K")
        for graph in ("k.meg", "r.meg", "f.meg", "g.meg", "dense.meg"):
            for verb, *options in [dense, (*dense, "--device", "0,0")] if graph == "dense.meg" else runs:
                if (verb in ("sssp", "path")) != (graph in ("f.meg", "g.meg")):
                    continue
                if verb == "path":
                    self.good(verb, graph, *options, "--engine", "device", "--check", env=env)
                else:
                    self.assertTrue(self.json(verb, graph, *options, "--engine", "device", "--check", env=env)["checked"])
                with open(self.path("log")) as file:
                    self.assertEqual(file.read(), "", (graph, verb, options))


if __name__ == "__main__":
    main()
