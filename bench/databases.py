"""Graphs in a real Neo4j, for the benchmarks of pulling: written by `meguri partition`, loaded by Neo4j's batch importer,
served as in the tests (tests/db/neo4j.py)."""
import glob
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "db"))
import neo4j  # noqa: E402

HEAP, PAGES = 2048, 512  # megabytes, of the process and of each page cache


def command(*words, **more):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=900, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done.stdout


def load(meguri, graph, folder, parts=1, cut="locality"):
    """The graph as databases in folder/homeK; seconds of the importer. Ids must be integers."""
    csv = os.path.join(folder, "csv")
    command(meguri, "partition", graph, "--parts", parts, "--cut", cut, "-o", csv, "-q")
    jars, start = os.path.join(neo4j.fetch(), "*"), time.monotonic()
    for part in range(parts):
        home = os.path.join(folder, f"home{part}")
        os.makedirs(os.path.join(home, "conf"))
        files = os.path.join(csv, f"part-{part}")
        command("java", f"-Xmx{HEAP}m", "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-cp", jars, "org.neo4j.cli.AdminTool", "database",
                "import", "full", "neo4j", "--id-type=integer", f"--nodes={files}/nodes.csv", f"--relationships={files}/relationships.csv",
                env=dict(os.environ, NEO4J_HOME=home, NEO4J_CONF=os.path.join(home, "conf")))
    seconds = time.monotonic() - start
    command("rm", "-r", csv)
    return seconds


def serve(folder, parts=1, seconds=900, jars=None):
    """`jars`: a folder with lib/, the jars of Neo4j and of its plug-ins, and plugins/, the latter again; None: Neo4j alone."""
    java = [f"-Xmx{HEAP}m", "-XX:+UseSerialGC", f"-Dpages={PAGES}"]
    if not jars:
        return neo4j.Neo4j(folder, parts, java, seconds)
    jars = os.path.abspath(jars)
    return neo4j.Neo4j(folder, parts, java + [f"-Dplugins={jars}/plugins"], seconds, f"{jars}/lib")


def uris(server):
    return [f"bolt://127.0.0.1:{port}/neo4j" for port in server.ports]


def account():
    return dict(os.environ, NEO4J_USERNAME="neo4j", NEO4J_PASSWORD=neo4j.PASSWORD)


def processor_seconds(pid):
    """What a process has used so far."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS"))


def on_disk(folder, part=0):
    """Bytes of the store without the transaction logs, and of these."""
    data = os.path.join(folder, f"home{part}", "data")
    size = [sum(os.path.getsize(f) for f in glob.glob(os.path.join(data, kind, "neo4j", "**"), recursive=True) if os.path.isfile(f))
            for kind in ("databases", "transactions")]
    return tuple(size)
