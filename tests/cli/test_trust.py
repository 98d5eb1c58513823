"""What another user can write to: symbolic links where files of ours are created, and folders that code is kept in.

Needs root, who can make files that belong to others; the command runs as root, and as a user without rights."""
import json
import os
import shutil
import stat
import subprocess
import threading

from harness import Case, MEGURI, ROOT, SANITIZED, main

OTHER, USER = 54321, 54322  # an attacker; one who runs the command without being root

PROGRAM = """#include <meguri/pregel.h>
MEGURI_VERTEX(small, uint64_t, meguri_none, uint64_t);
static inline void small_compute(small_vertex *v, uint64_t *x) { *x = %d; small_halt(v); }
static const meguri_output columns[] = {MEGURI_OUTPUT("x", uint64_t)};
MEGURI_PROGRAM(small, .outputs = columns, .output_count = 1);
MEGURI_RUN(&small_program);
"""
STEPS = """#include <meguri/pregel.h>
MEGURI_VERTEX(steps, uint64_t, meguri_none, uint64_t);
static inline void steps_compute(steps_vertex *v, uint64_t *x) {
    MEGURI_EACH_MESSAGE(steps, m, v) *x += m.value;
    if (steps_superstep(v) < 8) steps_send_all(v, 1);
    else steps_halt(v);
}
static const meguri_output columns[] = {MEGURI_OUTPUT("x", uint64_t)};
MEGURI_PROGRAM(steps, .outputs = columns, .output_count = 1);
MEGURI_RUN(&steps_program);
"""


class Trust(Case):
    place = "/tmp"  # other users reach it; TMPDIR and the checkout may lie in a folder of root's alone

    def setUp(self):
        self.need(os.geteuid() == 0, "root")
        self.addCleanup(os.umask, os.umask(0o022))
        super().setUp()
        os.chmod(self.folder, 0o755)
        self.write("g.el", "0 1\n1 2\n2 0\n")
        self.write("precious", "precious\n")
        self.cache = {"XDG_CACHE_HOME": self.path("cache")}

    def shared(self, name, mode=0o1777):
        """A folder that everybody writes to."""
        os.mkdir(self.path(name))
        os.chmod(self.path(name), mode)
        return name

    def plant(self, target, name, owner=OTHER):
        os.symlink(target, self.path(name))
        os.lchown(self.path(name), owner, owner)

    def content(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def as_user(self, user):
        """How run_it is called for the command to run as this user: a copy of it, beside the headers as in this tree."""
        build = self.path("copy/build/release")
        if not os.path.exists(build):
            os.makedirs(build)
            shutil.copy(MEGURI, build)
            shutil.copy(os.path.join(os.path.dirname(MEGURI), "libmeguri.so.1"), build)
            shutil.copytree(os.path.join(ROOT, "include"), self.path("copy/include"))
            subprocess.run(["chmod", "-R", "a+rX", self.path("copy")], check=True)  # whatever the modes in the checkout are
        return {"command": os.path.join(build, "meguri"), "user": user, "group": user, "extra_groups": []}

    def is_precious(self):
        self.assertEqual(self.content("precious"), "precious\n")

    def result(self, *words, **more):
        """Exit code, what was written, and the lines of standard error."""
        done = self.run_it(*words, **more)
        return done.returncode, done.stdout.decode(), done.stderr.decode().splitlines()


class Links(Trust):
    def test_checkpoint(self):
        self.write("steps.c", STEPS)
        for mode in (0o777, 0o1777):
            kept = self.shared(f"kept-{mode:o}", mode)
            for name in ("checkpoint", "checkpoint.new", *(f"part-{i}-0" for i in range(12) if i != 4)):
                self.plant(self.path("precious"), f"{kept}/{name}")
            os.link(self.path("precious"), self.path(f"{kept}/part-4-0"))
            words = ["run", "steps.c", "g.el", "-q", "--checkpoint", kept, "--every", 2, "--max-supersteps", 7]
            self.bad(5, "has not ended after 7", *words, env=self.cache)
            self.is_precious()
            self.assertTrue(stat.S_ISREG(os.lstat(self.path(f"{kept}/checkpoint")).st_mode))
            self.assertFalse(os.path.lexists(self.path(f"{kept}/checkpoint.new")))
            self.good("run", "steps.c", "g.el", "-q", "--resume", kept, "-o", "out.tsv", env=self.cache)

    def test_folder_of_a_checkpoint(self):
        self.write("steps.c", STEPS)
        shared = self.shared("shared")
        os.mkdir(self.path("home"))
        self.plant(self.path("home"), f"{shared}/kept")
        for folder in (f"{shared}/kept", f"{shared}/kept/deeper"):
            self.bad(4, "is a symbolic link of another user (54321)", "run", "steps.c", "g.el", "--checkpoint", folder,
                     env=self.cache)
        self.assertEqual(os.listdir(self.path("home")), [])
        os.symlink(self.path("home"), self.path("mine"))
        self.good("run", "steps.c", "g.el", "-q", "--checkpoint", "mine", env=self.cache)
        self.assertIn("checkpoint", os.listdir(self.path("home")))

    def test_output(self):
        for mode in (0o777, 0o1777):
            shared = self.shared(f"shared-{mode:o}", mode)
            os.mkdir(self.path(f"home-{mode:o}"))
            self.plant(self.path("precious"), f"{shared}/out.tsv")
            self.plant(self.path("new"), f"{shared}/new.tsv")
            self.plant(self.path(f"home-{mode:o}"), f"{shared}/folder")
            self.plant("out.tsv", f"{shared}/first.tsv", owner=0)
            for name in ("out.tsv", "new.tsv", "first.tsv", "folder/out.tsv"):
                for option in ("-o", "--trace"):
                    self.bad(4, "is a symbolic link of another user (54321); give the path that it leads to", "bfs",
                             "g.el", "--source", 0, "-q", option, f"{shared}/{name}")
            self.bad(4, "symbolic link of another user", "build", "g.el", "-q", "-o", f"{shared}/folder/g.meg")
            self.is_precious()
            self.assertFalse(os.path.exists(self.path("new")))
            self.assertEqual(os.listdir(self.path(f"home-{mode:o}")), [])

    def test_links_that_are_followed(self):
        """Own ones, those of root, and those of the owner of the folder."""
        want = self.good("bfs", "g.el", "--source", 0, "-q", "-o", "-")
        os.chmod(self.folder, 0o777)
        os.mkdir(self.path("theirs"))
        os.chmod(self.path("theirs"), 0o777)
        self.write("theirs/old.tsv", "old\n")
        self.plant("old.tsv", "theirs/link.tsv", owner=OTHER)
        os.chown(self.path("theirs"), OTHER, OTHER)
        self.good("bfs", "g.el", "--source", 0, "-q", "-o", "theirs/link.tsv")
        self.assertEqual(self.content("theirs/old.tsv"), want)
        self.assertTrue(os.path.islink(self.path("theirs/link.tsv")))
        for owner, runs in ((0, 0), (USER, USER), (0, USER)):
            os.mkdir(self.path("real"))
            os.chmod(self.path("real"), 0o777)
            self.plant("real", "linked", owner=owner)
            self.plant("linked/old.tsv", "link.tsv", owner=owner)
            who = self.as_user(runs)
            for option in ("-o", "--trace"):
                self.write("real/old.tsv", "old\n")
                os.chmod(self.path("real/old.tsv"), 0o640)
                os.chown(self.path("real/old.tsv"), runs, runs)
                self.good("bfs", "g.el", "--source", 0, "-q", option, "link.tsv", **who)
                self.assertNotIn("old", self.content("real/old.tsv"))
                self.good("bfs", "g.el", "--source", 0, "-q", option, "linked/new.tsv", **who)
                self.assertEqual(sorted(os.listdir(self.path("real"))), ["new.tsv", "old.tsv"])
                self.assertTrue(os.path.islink(self.path("link.tsv")))
                os.unlink(self.path("real/new.tsv"))
            shutil.rmtree(self.path("real"))
            os.unlink(self.path("linked"))
            os.unlink(self.path("link.tsv"))

    def test_what_is_not_a_file(self):
        """Pipes, devices and descriptors are written as they are, by results and by traces."""
        want = self.good("bfs", "g.el", "--source", 0, "-q", "-o", "-")
        for number, name in enumerate(("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")):
            os.symlink(name, self.path(f"{number}.tsv"))
            self.assertEqual(self.good("bfs", "g.el", "--source", 0, "-q", "-o", f"{number}.tsv"), want)
            for trace in (name, f"{number}.tsv"):
                self.assertIn('"run":"bfs"', self.good("bfs", "g.el", "--source", 0, "-q", "--trace", trace))
        os.symlink("/dev/null", self.path("null.tsv"))
        self.good("bfs", "g.el", "--source", 0, "-q", "-o", "null.tsv", "--trace", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        os.mkfifo(self.path("pipe.tsv"))
        for option in ("-o", "--trace"):
            read = []
            reader = threading.Thread(target=lambda: read.append(self.content("pipe.tsv")))
            reader.start()
            self.good("bfs", "g.el", "--source", 0, "-q", option, "pipe.tsv")
            reader.join(30)
            self.assertIn("vertex" if option == "-o" else '"run":"bfs"', read[0])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe.tsv")).st_mode))

    def test_second_names(self):
        """What an output replaces under one name stays under another."""
        for option in ("-o", "--trace"):
            os.link(self.path("precious"), self.path("out.tsv"))
            self.good("bfs", "g.el", "--source", 0, "-q", option, "out.tsv")
            self.is_precious()
            self.assertNotEqual(self.content("out.tsv"), "precious\n")
            os.unlink(self.path("out.tsv"))


class Caches(Trust):
    def setUp(self):
        super().setUp()
        self.write("one.c", PROGRAM % 1)
        self.write("two.c", PROGRAM % 2)

    def plant_code(self, cache):
        """What a run of one.c looks for in this cache is the code of two.c."""
        for name in ("one", "two"):
            self.good("run", f"{name}.c", "g.el", "-q", env={"XDG_CACHE_HOME": self.path(name)})
        [name] = os.listdir(self.path("one/meguri/programs"))
        [other] = os.listdir(self.path("two/meguri/programs"))
        os.makedirs(self.path(f"{cache}/meguri/programs"), 0o700, exist_ok=True)
        os.chmod(self.path(f"{cache}/meguri"), 0o700)
        shutil.copy(self.path(f"two/meguri/programs/{other}"), self.path(f"{cache}/meguri/programs/{name}"))

    def run_one(self, **env):
        shutil.rmtree(self.path("temporary"), ignore_errors=True)
        os.mkdir(self.path("temporary"))
        code, _, errors = self.result("run", "one.c", "g.el", "-o", "out.tsv", "--json",
                                      env={"TMPDIR": self.path("temporary"), **env})
        self.assertEqual(code, 0, errors)
        self.assertEqual(os.listdir(self.path("temporary")), [])
        return self.content("out.tsv").split()[3], errors

    def is_refused(self, cache, why):
        value, errors = self.run_one(XDG_CACHE_HOME=self.path(cache))
        self.assertEqual(value, "1")
        self.assertEqual(len(errors), 1, errors)
        self.assertIn("is not used for compiled code: ", errors[0])
        self.assertIn(why, errors[0])

    def test_planted_code_is_what_is_found(self):
        """That the attack below would work: a cache of one's own is believed."""
        self.plant_code("own")
        os.chmod(self.path("own/meguri/programs"), 0o700)
        self.assertEqual(self.run_one(XDG_CACHE_HOME=self.path("own")), ("2", []))

    def test_planted_code_is_not_loaded(self):
        """One way for each rule; tests/base/test_create.c has them all."""
        self.plant_code("cache")
        programs = self.path("cache/meguri/programs")
        os.chmod(programs, 0o777)
        self.is_refused("cache", f"other users can write to {programs} (mode 0777)")
        os.chmod(programs, 0o700)
        os.chown(self.path("cache/meguri"), OTHER, OTHER)
        self.is_refused("cache", "cache/meguri belongs to another user (54321)")
        os.chown(self.path("cache/meguri"), 0, 0)
        self.plant(self.path("cache"), f"{self.shared('shared')}/cache")
        self.is_refused("shared/cache", "cache is a symbolic link of another user (54321)")
        # sudo keeps HOME.
        os.rename(self.path("cache"), self.path(".cache"))
        os.chown(self.path(".cache"), OTHER, OTHER)
        before = os.listdir(self.path(".cache/meguri/programs"))
        value, errors = self.run_one(HOME=self.folder, XDG_CACHE_HOME="")
        self.assertEqual((value, len(errors)), ("1", 1))
        self.assertEqual(os.listdir(self.path(".cache/meguri/programs")), before)

    def test_shared_folder(self):
        """In a sticky folder nobody can replace what is one's own."""
        self.shared("shared")
        for _ in range(2):
            self.assertEqual(self.run_one(XDG_CACHE_HOME=self.path("shared")), ("1", []))
        for name in ("shared/meguri", "shared/meguri/programs"):
            self.assertEqual(stat.S_IMODE(os.stat(self.path(name)).st_mode), 0o700)
        self.assertEqual(len(os.listdir(self.path("shared/meguri/programs"))), 1)

    def test_without_a_cache(self):
        """Nothing is wrong without a home, or with one that cannot be written to: no warning, nothing is left."""
        for env in ({"HOME": "", "XDG_CACHE_HOME": ""}, {"HOME": "/dev/null", "XDG_CACHE_HOME": "relative"}):
            self.assertEqual(self.run_one(**env), ("1", []))
        for name, mode in (("open", 0o777), ("theirs", 0o755)):
            os.mkdir(self.path(name))
            os.chmod(self.path(name), mode)
            os.chown(self.path(name), 0 if name == "open" else OTHER, 0)
            self.bad(4, "set TMPDIR to a folder that only you can write to", "run", "one.c", "g.el",
                     env={"HOME": "", "XDG_CACHE_HOME": "", "TMPDIR": self.path(name)})
            self.assertEqual(os.listdir(self.path(name)), [])

    def test_as_a_user(self):
        """The cache of one without rights is that user's own, and root's is not."""
        home, who = self.path("home"), self.as_user(USER)
        os.mkdir(home)
        os.chown(home, USER, USER)
        env = {"HOME": home, "XDG_CACHE_HOME": "", "TMPDIR": home}
        self.good("run", "one.c", "g.el", "-q", env=env, **who)
        programs = os.path.join(home, ".cache/meguri/programs")
        self.assertEqual((os.stat(programs).st_uid, stat.S_IMODE(os.stat(programs).st_mode)), (USER, 0o700))
        self.good("run", "one.c", "g.el", "-q", env=env, **who)
        os.chown(programs, OTHER, OTHER)
        code, _, errors = self.result("run", "one.c", "g.el", "--json", env=env, **who)
        self.assertEqual((code, len(errors)), (0, 1), errors)
        self.assertIn("programs belongs to another user (54321)", errors[0])

    def test_kernels(self):
        """The same folder rule where kernels are kept."""
        devices = json.loads(self.run_it("devices", "--json").stdout or "{}")
        self.need(devices.get("devices"), "an OpenCL device")
        self.good("build", "g.el", "-q", "-o", "g.meg")
        words = ["bfs", "g.meg", "--source", 0, "--engine", "device", "--device", "0", "--json"]
        env = {"XDG_CACHE_HOME": self.path("cache"), "POCL_CACHE_DIR": self.path("pocl")}
        if SANITIZED:  # drivers leak
            env["LSAN_OPTIONS"] = f"suppressions={ROOT}/tests/device/leaks.txt:print_suppressions=0"
        self.assertEqual(self.result(*words, env=env)[2], [])
        kernels = self.path("cache/meguri/kernels")
        kept = sorted(os.listdir(kernels))
        self.assertGreater(len(kept), 0)
        shutil.rmtree(kernels)
        os.mkdir(kernels, 0o700)
        os.chown(kernels, OTHER, OTHER)
        code, _, errors = self.result(*words, env=env)
        self.assertEqual((code, len(errors)), (0, 1), errors)
        self.assertIn("kernels belongs to another user (54321)", errors[0])
        self.assertEqual(os.listdir(kernels), [])


if __name__ == "__main__":
    main()
