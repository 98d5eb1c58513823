"""A real Neo4j for tests: fetched once by Maven into a cache, compiled, started, asked (Neo4jForTests.java)."""
import os
import shutil
import subprocess
import tempfile
import threading

VERSION = "5.26.30"
HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "meguri", f"neo4j-{VERSION}")
PASSWORD = "for-tests-only"
POM = f"""<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>meguri</groupId><artifactId>neo4j-for-tests</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>org.neo4j</groupId><artifactId>neo4j</artifactId><version>{VERSION}</version>
  </dependency></dependencies>
</project>
"""


class Missing(Exception):
    """What the machine lacks."""


def fetch():
    """The folder of its jars; whole or not there."""
    jars = os.path.join(CACHE, "lib")
    if os.path.isdir(jars):
        return jars
    if not shutil.which("mvn"):
        raise Missing("Maven, to fetch Neo4j")
    os.makedirs(CACHE, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        with open(os.path.join(folder, "pom.xml"), "w", encoding="utf-8") as file:
            file.write(POM)
        words = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
        try:
            done = subprocess.run(words, cwd=folder, capture_output=True, timeout=500, check=False)
        except subprocess.TimeoutExpired as late:
            raise Missing("a repository of Maven that answers in time") from late
        if done.returncode:
            raise Missing("a repository of Maven that has Neo4j")
        try:
            os.rename(os.path.join(folder, "lib"), jars)
        except OSError:
            if not os.path.isdir(jars):  # else another test was faster
                raise
    return jars


class Neo4j:
    """Some databases in one process; `folder` is for their files, `java` are words of the virtual machine, `jars` a
    folder with others than those that are fetched. After so many seconds it ends, whatever happens."""

    def __init__(self, folder, count=3, java=("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"), seconds=300,
                 jars=None):
        if not shutil.which("java") or not shutil.which("javac"):
            raise Missing("Java, to run Neo4j")
        self.folder = folder = os.path.abspath(folder)  # the server lives there
        jars = os.path.join(jars or fetch(), "*")
        classes, source = os.path.join(folder, "classes"), os.path.join(HERE, "Neo4jForTests.java")
        done = subprocess.run(["javac", "-nowarn", "-encoding", "UTF-8", "-cp", jars, "-d", classes, source],
                              check=False, timeout=120, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise OSError("javac: " + done.stdout)
        words = ["java", *java, "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-cp", f"{classes}:{jars}", "Neo4jForTests", folder, str(count)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        cwd=folder, env=dict(os.environ, NEO4J_PASSWORD=PASSWORD), text=True)
        self.limit = threading.Timer(seconds, self.process.kill)
        self.limit.start()
        first = self.process.stdout.readline().split()
        if first[:1] != ["ready"]:
            self.close()
            raise RuntimeError("Neo4j did not start")
        self.ports = list(map(int, first[1:]))

    def close(self):
        self.limit.cancel()
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()

    def request(self, database, *words):
        self.process.stdin.write("\t".join([str(database), *words]) + "\n")
        self.process.stdin.flush()
        lines = []
        while True:
            line = self.process.stdout.readline()
            if line == ".\n":
                return lines
            if not line or line.startswith("! "):
                raise RuntimeError(line)
            lines.append(line.rstrip("\n"))

    def run(self, database, query):
        """The rows of an answer, as lists of texts."""
        return [line.split("\t") for line in self.request(database, query)]

    def path(self, database, *words):
        return self.request(database, "path", " ".join(map(str, words)))[0].split("\t")

    def empty(self):
        for database in range(len(self.ports)):
            self.run(database, "MATCH (n) DETACH DELETE n")
