"""What the tests under a launcher share: mpirun with time-outs, and a look that nothing of it stays behind."""
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from harness import Case, MEGURI, ROOT, SANITIZED, default_signals, main  # noqa: E402, F401
from launching import plain_environment  # noqa: E402, F401

BUILD = os.path.abspath(os.environ.get("MEGURI_BUILD") or os.path.dirname(MEGURI))
PLUGIN = os.path.join(BUILD, "libmeguri_mpi.so")
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children_of(pid):
    """Processes below `pid`, at any depth."""
    below, found = {}, []
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                below.setdefault(int(file.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
        except OSError:
            pass
    todo = [pid]
    while todo:
        new = below.get(todo.pop(), [])
        found += new
        todo += new
    return found


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


class Launched(Case):
    def setUp(self):
        super().setUp()
        self.need(MPIRUN, "mpirun of Open MPI")
        version = subprocess.run([MPIRUN, "--version"], capture_output=True, timeout=60).stdout.decode()
        self.need("open-mpi.org" in version, "mpirun of Open MPI")
        self.need(os.path.exists(PLUGIN), "the plug-in for MPI")
        self.sessions = self.path("tmp")
        os.mkdir(self.sessions)

    def command(self, processes, words, options=(), places=("--oversubscribe",)):
        return [MPIRUN, "--allow-run-as-root", *places, *options, "-n", str(processes), *map(str, words)]

    def start(self, processes, *words, options=(), **env):
        """Under mpirun, in a group of its own; whatever happens, nothing of it outlives the test."""
        whole = plain_environment(TMPDIR=self.sessions, **env)
        job = subprocess.Popen(self.command(processes, words, options), stdin=subprocess.DEVNULL, cwd=self.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=whole, start_new_session=True,
                               preexec_fn=default_signals)
        self.addCleanup(self.end, job)
        return job

    def end(self, job):
        left = [pid for pid in children_of(job.pid) if alive(pid)]
        if job.poll() is None:
            job.kill()
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        job.communicate()

    def finish(self, job, seconds=120):
        out, err = job.communicate(timeout=seconds)
        # A machine that was halted for a while has told the launcher to go on, which it mentions.
        err = "".join(line for line in err.decode().splitlines(True) if "Forwarding signal 18" not in line)
        return job.returncode, out.decode(), err

    def launch(self, processes, *words, code=0, seconds=120, **more):
        """Runs to the end; returns standard output and standard error."""
        got, out, err = self.finish(self.start(processes, *words, **more), seconds)
        self.assertEqual(got, code, f"{words}: {out}{err}")
        self.assertEqual(os.listdir(self.sessions), [], "the launcher left something")
        return out, err

    def launch_pair(self, first, second, **more):
        """Two processes with a shell command each. Not as `first : second`: the launcher of Open MPI 5.0.7 crashes."""
        return self.launch(2, "sh", "-c", f"[ $OMPI_COMM_WORLD_RANK = 0 ] && {{ {first}; }}\n{second}", **more)

    def meguri(self, processes, *words, **more):
        return self.launch(processes, MEGURI, *words, **more)

    def except_for(self, rank, before, *words, more=()):
        """The words of the command, which one rank runs after a shell command of its own and with more arguments."""
        return ("sh", "-c", f"if [ $OMPI_COMM_WORLD_RANK = {rank} ]; then {before}; set -- \"$@\" {' '.join(more)}; fi\n"
                "exec \"$@\"", "sh", MEGURI, *words)

    def fails_once(self, code, part, job_words, processes=3, **more):
        """One sentence of ours, among what the launcher has to say, and no result; returns the sentence."""
        out, err = self.launch(processes, *job_words, code=code, **more)
        ours = [line for line in err.splitlines() if line.startswith("meguri: ")]
        self.assertEqual((out, len(ours)), ("", 1), err)
        self.assertIn(part, ours[0])
        return ours[0]

    def wait_for(self, true, seconds=30, every=0.01):
        end = time.monotonic() + seconds
        while not true():
            self.assertLess(time.monotonic(), end, "waited in vain")
            time.sleep(every)

    def ranks(self, job, processes):
        """The processes of the command, once all of them run."""
        def running():
            return sorted(pid for pid in children_of(job.pid) if name_of(pid) == os.path.basename(MEGURI))

        self.wait_for(lambda: len(running()) == processes or job.poll() is not None)
        return running()
