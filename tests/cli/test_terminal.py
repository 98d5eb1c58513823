"""What depends on the other side: a terminal, a pipe, a full disk, an impatient user."""
import os
import pty
import re
import signal
import subprocess
import time

from harness import Case, MEGURI, SANITIZED, default_signals, main

BIG = ["gen", "kronecker", "--scale", "18" if SANITIZED else "20", "--threads", "1", "-o", "big.meg"]
HALF = ["gen", "kronecker", "--scale", "17" if SANITIZED else "19", "--threads", "1", "-o", "half.meg"]  # a second


class Progress(Case):
    def on_terminal(self, *words):
        """Runs it with standard error on a terminal; returns (exit code, standard output, what the terminal got, seconds)."""
        parent, child = pty.openpty()
        started = time.monotonic()
        process = subprocess.Popen([MEGURI, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=child, cwd=self.folder)
        os.close(child)
        seen = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:  # how Linux says that the other end is closed
                break
            if not part:
                break
            seen += part
        os.close(parent)
        output = process.stdout.read().decode()
        process.stdout.close()
        return process.wait(), output, seen.decode(), time.monotonic() - started

    def test_line_is_drawn_and_cleared(self):
        code, output, seen, seconds = self.on_terminal(*BIG)
        self.assertEqual(code, 0)
        self.assertIn("→ big.meg", output)
        draws = [part for part in seen.split("\r") if part.strip()]
        self.assertGreater(len(draws), 2)
        self.assertLessEqual(len(draws), 10 * seconds + 1)
        for draw in draws:
            self.assertNotIn("\n", draw)
            self.assertLess(len(draw), 80)
        self.assertTrue(any(re.search(r"\d %", draw) for draw in draws), draws)
        self.assertTrue(any(re.search(r"[\d.]+ ?[kMG]?/s", draw) for draw in draws), draws)
        last, cleared, end = seen.split("\r")[-3:]
        self.assertEqual((cleared.strip(), end), ("", ""))
        self.assertGreaterEqual(len(cleared), len(last.rstrip()))

    def test_program_without_end(self):
        """After 10,000 supersteps the line says so, and how to limit them; unless they are limited."""
        self.write("g.el", "1 2\n2 1\n")
        self.write("p.c", """#include <meguri/pregel.h>
#include <unistd.h>
MEGURI_VERTEX(long, uint64_t, meguri_none, uint64_t);
static inline void long_compute(long_vertex *v, uint64_t *x) {
    *x = 0;
    if (long_superstep(v) > 10000) usleep(100000);
    if (long_superstep(v) < 10010) long_send_all(v, 1);
    long_halt(v);
}
MEGURI_PROGRAM(long);
MEGURI_RUN(&long_program);
""".replace("long", "endless"))
        os.environ["XDG_CACHE_HOME"] = self.folder
        self.addCleanup(os.environ.pop, "XDG_CACHE_HOME")
        advice = r"run: 10,0\d\d supersteps, not halted; limit: --max-supersteps N  [\d.]+ s"
        code, _, seen, _ = self.on_terminal("run", "p.c", "g.el")
        self.assertEqual(code, 0)
        self.assertRegex(seen, advice)
        for draw in seen.split("\r"):
            self.assertLess(len(draw), 80)
        code, _, seen, _ = self.on_terminal("run", "p.c", "g.el", "--max-supersteps", "10100")
        self.assertEqual(code, 0)
        self.assertNotIn("--max-supersteps", seen)

    def test_quiet(self):
        self.assertEqual(self.on_terminal(*HALF, "--quiet")[1:3], ("", ""))

    def test_not_on_a_pipe(self):
        self.good(*HALF)

    def test_not_for_short_work(self):
        for _ in range(50):
            _, _, seen, seconds = self.on_terminal("gen", "kronecker", "--scale", "4", "-o", "g.meg")
            if seconds < 0.2:  # as it was, unless the machine is very busy
                self.assertEqual(seen, "")
                break


class Interrupt(Case):
    patience = 20 if SANITIZED else 1  # seconds

    def interrupted(self, number, *words, delay=0.5, stdin=subprocess.DEVNULL):
        process = subprocess.Popen([MEGURI, *words], stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder,
                                   preexec_fn=default_signals)
        time.sleep(delay)
        early = process.poll()
        if early is not None:
            self.fail(f"it was done before it could be interrupted: {early}, {process.communicate()}")
        started = time.monotonic()
        process.send_signal(number)
        try:
            process.wait(timeout=20)  # its input stays open: it must not wait for it
        finally:
            process.kill()
            lasted = time.monotonic() - started
            output, text = process.communicate()
        self.assertEqual((process.returncode, output, text), (130, b"", b"meguri: interrupted.\n"))
        self.assertLess(lasted, self.patience)

    def test_ctrl_c(self):
        self.interrupted(signal.SIGINT, "gen", "kronecker", "--scale", "22", "--threads", "1", "-o", "big.meg")
        self.assertEqual(os.listdir(self.folder), [])

    def test_terminate(self):
        self.interrupted(signal.SIGTERM, "gen", "uniform", "--vertices", "4000000", "--edges", "60000000", "--threads", "1", "-o", "big.el")
        self.assertEqual(os.listdir(self.folder), [])

    def test_hang_up(self):
        """A terminal that is closed."""
        self.interrupted(signal.SIGHUP, "gen", "kronecker", "--scale", "22", "--threads", "1", "-o", "big.meg")
        self.assertEqual(os.listdir(self.folder), [])

    def test_while_waiting_for_input(self):
        self.interrupted(signal.SIGINT, "build", "-", "-o", "g.meg", stdin=subprocess.PIPE)
        self.assertEqual(os.listdir(self.folder), [])

    def test_old_file_survives(self):
        self.write("big.meg", "precious")
        self.interrupted(signal.SIGINT, "gen", "kronecker", "--scale", "22", "--threads", "1", "-o", "big.meg")
        with open(self.path("big.meg")) as file:
            self.assertEqual(file.read(), "precious")

    def test_ignored_signals_stay_ignored(self):
        """As under nohup, or in the background of a script."""
        for number in [signal.SIGINT, signal.SIGHUP]:
            process = subprocess.Popen([MEGURI, *HALF, "--quiet"], cwd=self.folder,
                                       preexec_fn=lambda: signal.signal(number, signal.SIG_IGN))
            time.sleep(0.3)
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=300), 0)


class Streams(Case):
    def test_full_disk_behind_standard_output(self):
        self.good("gen", "kronecker", "--scale", 4, "-o", "g.meg")
        for words in [["info", "g.meg"], ["info", "g.meg", "--json"], ["--help"], ["--version"], ["help", "build"],
                      ["gen", "kronecker", "--scale", "4", "-o", "h.meg"]]:
            with open("/dev/full", "wb") as full:
                result = subprocess.run([MEGURI, *words], stdout=full, stderr=subprocess.PIPE, cwd=self.folder)
            self.assertEqual((result.returncode, result.stderr.decode()),
                             (4, "meguri: cannot write to standard output: No space left on device.\n"), words)

    def test_closed_standard_streams(self):
        """Nothing meant for a closed stream gets into a file that is opened meanwhile."""
        self.good("gen", "kronecker", "--scale", 4, "-o", "want.meg")
        for streams in [">&-", "<&- >&-", "<&- >&- 2>&-", "2>&-"]:
            script = f'"$0" gen kronecker --scale 4 -o g.meg {streams}'
            code = subprocess.run(["sh", "-c", script, MEGURI], cwd=self.folder, capture_output=True).returncode
            self.assertEqual(code, 4 if ">&-" in streams.replace("2>&-", "") else 0, streams)
            with open(self.path("g.meg"), "rb") as got, open(self.path("want.meg"), "rb") as want:
                self.assertEqual(got.read(), want.read(), streams)

    def test_closed_pipe(self):
        """As in `meguri info g.meg | head -1`: no complaint."""
        self.good("gen", "kronecker", "--scale", 4, "-o", "g.meg")
        words = ["info"] + ["g.meg"] * 500  # more than a pipe holds
        process = subprocess.Popen([MEGURI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder)
        process.stdout.close()
        text = process.stderr.read()
        process.stderr.close()
        self.assertEqual((process.wait(timeout=60), text), (-signal.SIGPIPE, b""))

    def test_warnings(self):
        """Arcs without a p line are accepted with a warning."""
        self.write("x.gr", "a 1 2 5\na 2 3 6\n")
        result = self.run_it("build", "x.gr", "-o", "g.meg")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stderr.decode(), r"^meguri: warning: .*x\.gr.*\n$")
        self.assertEqual(self.good("build", "x.gr", "-o", "g.meg", "--quiet"), "")
        result = self.run_it("build", "x.gr", "-o", "g.meg", "--json")
        self.assertEqual(result.stdout.count(b"\n"), 1)

    def test_errors_stay_on_standard_error_with_json(self):
        self.bad(3, "missing", "info", "missing.meg", "--json")


if __name__ == "__main__":
    main()
