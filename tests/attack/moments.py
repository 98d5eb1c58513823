"""Hostile moments: damaged files, wrong flags, signals. No answer is compared here; what must hold is how the command ends."""
import os
import signal
import time

import verbs
from graphs import Shape, write_input
from session import Wrong

BAD_NUMBERS = ["-1", "0", "1e400", "nan", "inf", "x", "", "18446744073709551616", "1.5.2", "0x10", " 7", "99999999999999999999999"]


def damage_bytes(rng, data):
    """Some bytes changed, lost, doubled or added."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 5, 30])):
        at = rng.randrange(len(data) + 1)
        kind = rng.choice(["change", "cut", "lose", "double", "add", "number"])
        if kind == "change" and at < len(data):
            data[at] = rng.choice([0, 10, 32, 45, 255, rng.randrange(256), data[at] ^ 1 << rng.randrange(8)])
        elif kind == "cut" and rng.random() < 0.3:
            del data[at:]
        elif kind == "lose":
            del data[at:at + rng.randint(1, 9)]
        elif kind == "double":
            data[at:at] = data[at:at + rng.randint(1, 50)]
        elif kind == "add":
            data[at:at] = rng.choice([b"\n", b" ", b"\t", b",", b'"', b"\0", b"-", b"\xff\xfe", b"\r", b"#", b"%"])
        else:
            data[at:at] = rng.choice([b"99999999999999999999", b"-1", b"1e999", b"0.5", b"4294967296", b"18446744073709551615"])
    return bytes(data)


def damage(session):
    """A file with mistakes is read as something else, or refused with one sentence; nothing is written then."""
    rng = session.rng
    shape = Shape(rng)
    made = write_input(session, shape)
    target = "made.meg"
    if made.stdin is not None:
        made.stdin = damage_bytes(rng, made.stdin)
    elif rng.random() < 0.5:
        name = rng.choice([made.words[0], *[n for n in os.listdir(session.folder) if n.startswith("g.")]])
        session.write(name, damage_bytes(rng, session.read(name)))
    else:
        session.run("build", *made.words, *made.flags, "-q", "-o", "g.meg", stdin=made.stdin)
        if not os.path.exists(session.path("g.meg")):
            return
        session.write("g.meg", damage_bytes(rng, session.read("g.meg")))
        made.words, made.flags, target = ["g.meg"], [], None
    if target:
        code, _, _ = session.run("build", *made.words, *made.flags, "-o", target, stdin=made.stdin)
        session.same(os.path.exists(session.path(target)), code == 0, "whether a file was made")
        if code == 0:
            session.good("info", target, "--check")
        return
    checked, _, _ = session.run("info", "g.meg", "--check")
    for verb in rng.sample([*verbs.PLAIN, "convert"], 3):
        words = ["-o", "to.wel"] if verb == "convert" else []
        code, _, _ = session.run(verb, "g.meg", *words, "-q")
        if checked == 0 and code not in (0, 3):
            raise Wrong(f"info --check finds nothing wrong, and {verb} ends with {code}")


def flags(session):
    """Options that are wrong, alone or together: exit code 2, or 3 where the graph decides, and no file."""
    rng = session.rng
    session.write("g.el", "1 2 3\n2 3 4\n3 1 5\n")
    session.good("build", "g.el", "-q", "-o", "g.meg")
    number, other = rng.choice(BAD_NUMBERS), rng.choice(["", "x", "é", "auto ", "AUTO", "-", "--", "x" * 5000])
    wrong = [
        ["bfs", "g.meg", "--source", number], ["bfs", "g.meg"], ["bfs", "--source", "1"], ["bfs", "g.meg", "--source"], ["bfs", "g.meg", "g.meg", "--source", "1"],
        ["bfs", "g.meg", "--source", "1", "--max-depth", rng.choice(["-1", "x", "", "1.5"])], ["bfs", "g.meg", "--source", "1", "--policy", other],
        ["bfs", "g.meg", "--sources", "nowhere"], ["bfs", "g.meg", "--source", "1", "-o", f"out.{rng.choice(['txt', 'meg', 'tsv.bz2', ''])}"],
        ["bfs", "g.meg", "--source", "1", "-o", "no/such/folder.tsv"], ["bfs", "nowhere.meg", "--source", "1"], ["bfs", ".", "--source", "1"],
        ["sssp", "g.meg", "--source", "1", "--delta", rng.choice(["-1", "0", "nan", "inf", "x", ""])],
        ["pagerank", "g.meg", "--damping", rng.choice(["-0.1", "1.5", "nan", "x", "", "2"])],
        ["pagerank", "g.meg", "--tolerance", rng.choice(["-1", "nan", "x", ""])], ["pagerank", "g.meg", "--iterations", "3", "--tolerance", "1e-3"],
        ["pagerank", "g.meg", "--iterations", rng.choice(["-1", "x", "1.5", ""])], ["communities", "g.meg", "--iterations", rng.choice(["0", "-1", "x"])],
        ["betweenness", "g.meg", "--sources", rng.choice(["0", "-1", "x", ""])], ["betweenness", "g.meg", "--sources", "2", "--source-list", "g.el"],
        ["path", "g.meg", "--from", "1"], ["path", "g.meg", "--to", "1"], ["path", "g.meg", "--from", "1", "--to", "9"],
        ["path", "g.meg", "--from", "1", "--to", "2", "--algorithm", other], ["path", "g.meg", "--from", "1", "--to", "2", "--algorithm", "all"],
        ["path", "g.meg", "--from", "1", "--to", "2", "--k", rng.choice(["0", "-1", "x"])], ["path", "g.meg", "--from", "1", "--to", "2", "--max-cost", rng.choice(["-1", "nan", "x"])],
        ["path", "g.meg", "--from", "1", "--to", "2", "--max-hops", rng.choice(["0", "-1", "x"])], ["path", "g.meg", "--from", "1", "--to", "2", "--geojson", "o.geojson"],
        ["path", "g.meg", "--from", "1", "--to", "2", "--timeout", rng.choice(["0", "-1", "x", "nan"])], ["path", "g.meg", "--pairs", "g.el", "--from", "1"],
        ["build", "g.el", "-o", "o.meg", "--format", other], ["build", "g.el"], ["build", "-o", "o.meg"], ["build", "g.meg", "-o", "o.meg"],
        ["build", "g.el", "-o", "o.meg", "--directed", "--undirected"], ["build", "g.el", "-o", "o.xyz"], ["build", "g.el", "-o", "g.el"],
        ["build", "g.el", "nowhere.el", "-o", "o.meg"], ["build", "g.el", "--coords", "g.el", "-o", "o.meg"], ["convert", "g.meg"], ["convert", "g.meg", "-o", "o.graph"],
        ["gen", other], ["gen", "kronecker", "-o", "o.meg"], ["gen", "kronecker", "--scale", rng.choice(["-1", "99", "x", ""]), "-o", "o.meg"],
        ["gen", "grid", "--width", "0", "--height", "-1", "-o", "o.meg"], ["info"], ["info", "g.el"], ["index", "g.el"], ["report", "g.el", "-o", "o.html"],
        ["components", "g.meg", "--threads", rng.choice(["0", "-1", "x", ""])], ["components", "g.meg", "--memory", rng.choice(["0", "-1", "x", "", "1Q", "12"])],
        ["components", "g.meg", "--engine", other], ["components", "g.meg", "--" + rng.choice(["x", "thread", "é", "o", "json=1", "quiet=yes"])], [other],
        ["triangles", "g.meg", "-o", "o.tsv"], ["components", "g.meg", "-o"], ["components", "g.meg", "--trace", "no/such/folder"],
    ]
    words = rng.choice(wrong)
    before = sorted(os.listdir(session.folder)), session.read("g.el"), session.read("g.meg")
    session.bad({2, 3, 4}, *words)
    session.same((sorted(os.listdir(session.folder)), session.read("g.el"), session.read("g.meg")), before, "files after a wrong command")


def signals(session):
    """A signal at any moment: 130 (or death by the signal, where it came before the command was ready), the old file or the
    whole new one, and nothing else."""
    rng = session.rng
    scale = rng.choice([10, 12, 14])
    session.good("gen", "kronecker", "--scale", scale, "--weights", "u32", "-q", "-o", "g.meg")
    session.write("pairs", "".join(f"{rng.randrange(1000)} {rng.randrange(1000)}\n" for _ in range(300)))
    words = rng.choice([
        ["gen", "kronecker", "--scale", scale + 1, "-q", "-o", "out.meg"], ["convert", "g.meg", "-q", "-o", "out.wel"], ["convert", "g.meg", "-q", "-o", "out.el.gz"],
        ["betweenness", "g.meg", "--sources", 64, "-q", "-o", "out.tsv"], ["pagerank", "g.meg", "-q", "-o", "out.npy"], ["clustering", "g.meg", "-q", "-o", "out.bin"],
        ["sssp", "g.meg", "--sources", "few", "-q", "-o", "out.tsv"], ["path", "g.meg", "--pairs", "pairs", "-q", "-o", "out.csv"],
        ["index", "g.meg", "-q"], ["build", "big.el", "-q", "-o", "out.meg"], ["build", "big.el", "-q", "--memory", "8M", "-o", "out.meg"]])
    session.write("few", "".join(f"{v}\n" for v in range(20)))
    if "big.el" in words:
        session.good("convert", "g.meg", "-q", "-o", "big.el")
    output = words[-1] if "-o" in words else "g.meg"
    if rng.random() < 0.7 and "-o" in words:
        session.write(output, b"what was there before")
    before = session.read(output) if os.path.exists(session.path(output)) else None
    names = sorted(os.listdir(session.folder))
    number = rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
    job = session.start(words)
    time.sleep(rng.random() ** 2 * 0.4)
    job.send_signal(number)
    out, err = job.communicate(timeout=60)
    session.count(f"signal {number.name} {'too late' if job.returncode == 0 else 'hit'}")
    if job.returncode not in (0, 130, -number):
        raise Wrong(f"exit code {job.returncode} after {number.name}: {err.decode()}")
    left = sorted(os.listdir(session.folder)) + os.listdir(session.temporary)
    whole = job.returncode == 0 or (before is None and output in left)
    if left != names and not (whole and left == sorted({*names, output})):
        raise Wrong(f"after {number.name}: {left} where {names} were before")
    if output in left and session.read(output) != before:
        check_whole(session, output)


def check_whole(session, output):
    """A file that is new must be all there."""
    if output.endswith(".meg"):
        session.good("info", output, "--check")
    elif output.endswith(".gz"):
        session.good("build", output, "-q", "-o", "back.meg")
    elif not output.endswith((".npy", ".bin")) and not session.read(output).endswith(b"\n"):
        raise Wrong(f"{output} is cut")
