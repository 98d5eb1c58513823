"""One case: a folder of its own, the command run in it, and what must hold for every run whatever it answers."""
import atexit
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from launching import plain_environment  # noqa: E402

MEGURI = os.path.abspath(os.environ.get("MEGURI", "build/release/meguri"))
SANITIZED = bool(os.environ.get("MEGURI_SANITIZED"))
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
PLUGIN = os.path.join(os.path.dirname(MEGURI), "libmeguri_mpi.so")
CLUSTER = bool(MPIRUN) and os.path.exists(PLUGIN) and not SANITIZED
SECONDS = 240 if SANITIZED else 120  # for one command; hit only if it hangs

CODES = {0, 2, 3, 4, 5}  # 1 would be a checker that disagrees with the search, 130 needs a signal

COMPILED = tempfile.mkdtemp(prefix="meguri-attack-")  # vertex programs, each compiled once
atexit.register(shutil.rmtree, COMPILED, ignore_errors=True)


@functools.lru_cache
def has_device():
    """Whether OpenCL offers one; a processor that poses as one will do."""
    found = subprocess.run([MEGURI, "devices", "--json"], stdout=subprocess.PIPE, check=False)
    return found.returncode == 0 and any(device["usable"] for device in json.loads(found.stdout)["devices"])


class Wrong(Exception):
    """The command did what it must not."""


def plain_signals():
    """A test run in the background may have these ignored, which children inherit."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Session:
    def __init__(self, rng, count):
        self.rng = rng
        self.count = count  # count(what) adds one to the sums at the end
        self.folder = tempfile.mkdtemp(prefix="meguri-attack-")
        self.temporary = os.path.join(self.folder, "tmp")  # where the command may spill; must be empty afterwards
        os.mkdir(self.temporary)
        self.last = None

    def close(self, keep=False):
        if not keep:
            shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def maybe(self, chance):
        return self.rng.random() < chance

    def environment(self):
        return plain_environment(TMPDIR=self.temporary, XDG_CACHE_HOME=COMPILED)

    def start(self, words, processes=0, **more):
        words = [MEGURI, *map(str, words)]
        if processes:
            words = [MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", str(processes), *words]
        self.last = words
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                env=self.environment(), preexec_fn=plain_signals, **more)

    def run(self, *words, stdin=None, processes=0):
        """The exit code, standard output, and standard error without warnings; that the code is one of ours, and that
        what went wrong is told in one sentence, holds for every run."""
        job = self.start(words, processes)
        try:
            out, err = job.communicate(stdin or b"", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            job.kill()
            job.communicate()
            raise Wrong(f"still running after {SECONDS} s") from None
        err = err.decode("utf-8", "replace")
        lines = [line for line in err.splitlines(True)
                 if not line.startswith("meguri: warning: ") and not (processes and "Forwarding signal" in line)]
        self.judge(job.returncode, out, lines, err, processes)
        if os.listdir(self.temporary):
            raise Wrong(f"left in the folder for temporary files: {os.listdir(self.temporary)}")
        return job.returncode, out, "".join(lines)

    @staticmethod
    def judge(code, out, lines, err, processes):
        if code not in CODES:
            raise Wrong(f"exit code {code}: {err}")
        if code == 0 and lines:
            raise Wrong(f"exit code 0 and complaints: {err}")
        if code != 0 and not processes:  # a launcher adds its own words
            if len(lines) != 1 or not lines[0].startswith("meguri: ") or lines[0][-2:] not in (".\n", "?\n"):
                raise Wrong(f"exit code {code} and not one sentence: {err!r}")
            if out:
                raise Wrong(f"exit code {code} and standard output: {out[:200]!r}")

    def good(self, *words, **more):
        code, out, err = self.run(*words, **more)
        if code == 4 and "--memory" in words:  # too little is an answer, too
            at = words.index("--memory")
            self.count("too little memory")
            return self.good(*words[:at], *words[at + 2:], **more)
        if code:
            raise Wrong(f"exit code {code}: {err}")
        return out.decode()

    def bad(self, codes, *words, **more):
        """Expects one of these exit codes."""
        code, out, err = self.run(*words, **more)
        if code not in codes:
            raise Wrong(f"exit code {code}, not one of {sorted(codes)}: {err or out[:300]}")
        return err

    def json(self, *words, **more):
        text = self.good(*words, "--json", **more)
        try:
            return json.loads(text, parse_constant=self.no_number)
        except ValueError as error:
            raise Wrong(f"no JSON: {error}: {text[:300]}") from None

    @staticmethod
    def no_number(text):
        raise Wrong(f"{text} in JSON")

    def same(self, got, want, what):
        if got != want:
            raise Wrong(f"{what}: {short(got)} where {short(want)} was expected")

    def processes(self):
        """How many to start under a launcher: none, as a rule, since that takes half a second."""
        if not CLUSTER or not self.maybe(0.015):
            return 0
        self.count("cluster")
        return self.rng.randint(2, 4)


    def device(self, vertices, several=True, parts=True):
        """Words that have the work done on a device, or on several of them, with room for the graph or for parts of it;
        none, as a rule, since it takes a quarter of a second to open one."""
        if not self.maybe(0.05) or not has_device():
            return []
        words = ["--engine", "device"]
        if several and self.maybe(0.4):
            words += ["--device", self.rng.choice(["0,0", "0,0,0", "cpu,0"])]
            self.count("devices")
        if parts and self.maybe(0.4):
            words += ["--device-memory", self.rng.choice([2**16, 2**17]) + 80 * vertices]
        self.count("device")
        return words


def short(value):
    text = repr(value)
    return text if len(text) < 400 else text[:400] + "…"
