#!/usr/bin/env python3
"""How fast our client takes what a database sends, whatever the database can do: answers of a real Neo4j to the queries of
`meguri pull`, recorded once, and played back from memory over loopback.

    bench_replay.py record FILE URI [OPTION…]          pulls from URI through a recorder; the options are those of pull
    bench_replay.py play FILE [--tls] [--times N] [OPTION…]   pulls from the recording, with the same options

`play` prints relationships a second of the whole phase and of a core of ours: the server of the recording is a process of
its own, and sends faster than we take. One connection, so one thread of ours decodes. MEGURI names the command."""
import json
import os
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading

MEGURI = os.environ.get("MEGURI", os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "release", "meguri"))
HELLO, GOODBYE, LOGON, RUN, PULL = 0x01, 0x02, 0x6A, 0x10, 0x3F
SUCCESS, FAILURE, IGNORED = 0x70, 0x7F, 0x7E


def read(stream, count):
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def message(stream):
    """The bytes of a message with its chunks, its content, and its tag; keep-alives are left out."""
    whole, content = [], []
    while True:
        head = read(stream, 2)
        length = struct.unpack(">H", head)[0]
        if length:
            piece = read(stream, length)
            whole += [head, piece]
            content.append(piece)
        elif content:
            data = b"".join(content)
            return b"".join(whole) + head, data, data[1]


def key(tag, content, run, pulls):
    """What a request is found by: logging in by its tag alone, a query by itself, and how often it was pulled."""
    return bytes([tag]) + (run + bytes([pulls]) if tag == PULL else content if tag == RUN else b"")


class Recorder:
    """A server that asks another one, and keeps what it answers."""

    def __init__(self, host, port):
        self.there, self.answers = (host, port), {}
        self.listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            threading.Thread(target=self.relay, args=(self.listener.accept()[0],), daemon=True).start()

    def relay(self, client):
        with client, socket.create_connection(self.there) as server, client.makefile("rb") as asked, server.makefile("rb") as told:
            server.sendall(read(asked, 20))
            self.answers[b""] = read(told, 4)
            client.sendall(self.answers[b""])
            run, pulls = b"", 0
            while True:
                try:
                    whole, content, tag = message(asked)
                except EOFError:
                    return
                server.sendall(whole)
                if tag == GOODBYE:
                    return
                run, pulls = (content, 0) if tag == RUN else (run, pulls + 1)
                answer = []
                while not answer or kind not in (SUCCESS, FAILURE, IGNORED):
                    data, _, kind = message(told)
                    answer.append(data)
                self.answers[key(tag, content, run, pulls)] = b"".join(answer)
                client.sendall(self.answers[key(tag, content, run, pulls)])

    def save(self, path):
        with open(path, "wb") as file:
            for name, answer in self.answers.items():
                file.write(struct.pack(">QQ", len(name), len(answer)) + name + answer)


def saved(path):
    answers = {}
    with open(path, "rb") as file:
        while head := file.read(16):
            name, answer = struct.unpack(">QQ", head)
            request = file.read(name)
            answers[request] = file.read(answer)
    return answers


def play_to(client, answers):
    with client, client.makefile("rb") as asked:
        read(asked, 20)
        client.sendall(answers[b""])
        run, pulls = b"", 0
        while True:
            try:
                _, content, tag = message(asked)
            except (EOFError, OSError):
                return
            if tag == GOODBYE:
                return
            run, pulls = (content, 0) if tag == RUN else (run, pulls + 1)
            client.sendall(answers[key(tag, content, run, pulls)])


def serve(path, tls, ready):
    """The process that plays: one connection after another, or at once."""
    answers, context = saved(path), None
    if tls:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*tls)
    listener = socket.create_server(("127.0.0.1", 0))
    os.write(ready, f"{listener.getsockname()[1]}\n".encode())
    while True:
        client = listener.accept()[0]
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context:
            client = context.wrap_socket(client, server_side=True)
        threading.Thread(target=play_to, args=(client, answers), daemon=True).start()


def pull(uri, options, folder):
    words = [MEGURI, "pull", uri, "--json", "--connections", "1", "-o", os.path.join(folder, "c.meg"), *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(done.stderr)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return json.loads(done.stdout), used


def record(path, uri, *options):
    host, port = uri.split("://")[1].split("/")[0].split(":")
    recorder = Recorder(host, int(port))
    with tempfile.TemporaryDirectory(prefix="meguri-bench-") as folder:
        info, _ = pull(f"bolt://127.0.0.1:{recorder.listener.getsockname()[1]}/{uri.split('/')[-1]}", options, folder)
    recorder.save(path)
    print(f"{info['edges']} relationships, {os.path.getsize(path) / info['edges']:.1f} bytes each")


def certificate(folder):
    files = [os.path.join(folder, name) for name in ("public.crt", "private.key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", files[1], "-out", files[0], "-days", "2", "-subj",
                    "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"], capture_output=True, check=True)
    return files


def play(path, *options):
    options, times, tls = list(options), 5, "--tls" in options
    if tls:
        options.remove("--tls")
    if "--times" in options:
        at = options.index("--times")
        times = int(options[at + 1])
        del options[at:at + 2]
    with tempfile.TemporaryDirectory(prefix="meguri-bench-") as folder:
        files = certificate(folder) if tls else None
        known, ready = os.pipe()
        child = os.fork()
        if child == 0:
            serve(path, files, ready)
        try:
            port = int(os.read(known, 16))
            uri = f"{'bolt+s' if tls else 'bolt'}://127.0.0.1:{port}/neo4j"
            for _ in range(times):
                info, used = pull(uri, options + (["--ca-file", files[0]] if tls else []), folder)
                seconds = info["relationship_seconds"]
                print(f"{info['edges']} relationships in {seconds:.3f} s: {info['edges'] / seconds / 1e6:.2f} M/s"
                      f"{' with TLS' if tls else ''}; {used:.2f} s of processors for all of the pull", flush=True)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("record", "play"):
        sys.exit(__doc__)
    (record if sys.argv[1] == "record" else play)(*sys.argv[2:])
