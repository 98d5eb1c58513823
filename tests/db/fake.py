"""A graph database that a test makes up: it speaks Bolt on loopback, knows the queries of `meguri pull` and of
`meguri write-back` by their parameters, and misbehaves where it is told to."""
import collections
import re
import socket
import ssl
import struct
import threading

HELLO, GOODBYE, RUN, PULL, LOGON, RESET = 0x01, 0x02, 0x10, 0x3F, 0x6A, 0x0F
SUCCESS, RECORD, IGNORED, FAILURE = 0x70, 0x71, 0x7E, 0x7F


def pack(value):
    if value is None:
        return b"\xC0"
    if value is True or value is False:
        return b"\xC3" if value else b"\xC2"
    if isinstance(value, int):
        for low, high, marker, form in ((-16, 127, b"", ">b"), (-128, -17, b"\xC8", ">b"), (-2**15, 2**15 - 1, b"\xC9", ">h"),
                                        (-2**31, 2**31 - 1, b"\xCA", ">i"), (-2**63, 2**63 - 1, b"\xCB", ">q")):
            if low <= value <= high:
                return marker + struct.pack(form, value)
    if isinstance(value, float):
        return b"\xC1" + struct.pack(">d", value)
    if isinstance(value, str):
        data = value.encode()
        return size(0x80, 0xD0, len(data)) + data
    if isinstance(value, list):
        return size(0x90, 0xD4, len(value)) + b"".join(map(pack, value))
    if isinstance(value, dict):
        return size(0xA0, 0xD8, len(value)) + b"".join(pack(k) + pack(v) for k, v in value.items())
    raise TypeError(value)


def size(tiny, first, count):
    if count < 16:
        return bytes([tiny | count])
    for more, (bound, form) in enumerate(((2**8, ">B"), (2**16, ">H"), (2**32, ">I"))):
        if count < bound:
            return bytes([first + more]) + struct.pack(form, count)
    raise ValueError(count)


def unpack(data, at=0):
    """The value at a place, and the place behind it."""
    marker = data[at]
    at += 1

    def number(bytes_):
        return int.from_bytes(data[at:at + bytes_], "big"), at + bytes_

    if marker < 0x80 or marker >= 0xF0:
        return struct.unpack(">b", bytes([marker]))[0], at
    if marker in (0xC0, 0xC2, 0xC3):
        return {0xC0: None, 0xC2: False, 0xC3: True}[marker], at
    if marker == 0xC1:
        return struct.unpack_from(">d", data, at)[0], at + 8
    if 0xC8 <= marker <= 0xCB:
        width = 1 << marker - 0xC8
        return int.from_bytes(data[at:at + width], "big", signed=True), at + width
    kind, count = marker & 0xF0, marker & 15
    if marker >= 0xD0:
        kind = {0xD0: 0x80, 0xD4: 0x90, 0xD8: 0xA0}[marker & 0xFC]
        count, at = number(1 << (marker & 3))
    if kind == 0x80:
        return data[at:at + count].decode(), at + count
    if kind == 0xB0:
        at += 1  # the tag
    items = []
    for _ in range(2 * count if kind == 0xA0 else count):
        item, at = unpack(data, at)
        items.append(item)
    return (dict(zip(items[::2], items[1::2])) if kind == 0xA0 else items), at


class Fake:
    """`nodes` are dicts with id and properties, `labels`; `relationships` are tuples (id, from, to, type, weight).

    faults: version (the answer to the handshake), chunk (bytes of a chunk), alive (keep-alives before every message),
    trickle (a byte at a time), silent (not even the handshake is answered), password, tls (certificate and key), die_after (queries, then every connection ends), hang_after, half_after (closes
    its side after half a message), raw_after (bytes that are sent instead of an answer), lists (lists of a record that
    are one too short), fail (code and message of a FAILURE to the first query that is not a count), flood_after (queries, then a flood of that
    kind)."""

    def __init__(self, nodes, relationships, key=None, proxy=None, weight=None, mark="11111111-2222", **faults):
        self.nodes, self.relationships, self.key, self.proxy, self.weight = nodes, relationships, key, proxy, weight
        self.mark, self.faults = mark, faults
        self.queries = self.sent = 0
        self.greeted = False
        self.texts = []  # of the queries
        self.seen = []  # principal and credentials
        self.writes = collections.Counter()  # of each node
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.port = 0
        self.come_back()

    def come_back(self):
        """Listens, at the same port as before, and does not die any more."""
        if self.port:
            self.faults.pop("die_after", None)
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def uri(self, scheme="bolt", host="127.0.0.1"):
        return f"{scheme}://{host}:{self.port}/db"

    def close(self):
        self.ended.set()
        self.deafen()

    def deafen(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)  # else a thread that waits in accept takes one more
        except OSError:
            pass
        self.listener.close()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            with connection:
                if self.faults.get("tls"):
                    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                    context.load_cert_chain(*self.faults["tls"])
                    with context.wrap_socket(connection, server_side=True) as connection:
                        self.talk(connection)
                else:
                    self.talk(connection)
        except (OSError, EOFError, ssl.SSLError):
            pass

    # ---- messages

    def read(self, connection, count):
        data = b""
        while len(data) < count:
            more = connection.recv(count - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def receive(self, connection):
        message = b""
        while True:
            length = int.from_bytes(self.read(connection, 2), "big")
            if length:
                message += self.read(connection, length)
            elif message:
                return message[1], unpack(message)[0]

    def framed(self, tag, *fields):
        message = bytes([0xB0 | len(fields), tag]) + b"".join(map(pack, fields))
        chunk = self.faults.get("chunk", 0xFFFF)
        out = b"\0\0" if self.faults.get("alive") else b""
        for at in range(0, len(message), chunk):
            out += struct.pack(">H", len(message[at:at + chunk])) + message[at:at + chunk]
        return out + b"\0\0"

    def send(self, connection, data):
        if not self.faults.get("trickle"):
            connection.sendall(data)
            return
        for at in range(len(data)):
            connection.sendall(data[at:at + 1])
            if at % 64 == 0:
                self.ended.wait(0.001)

    def talk(self, connection):
        self.read(connection, 20)
        self.greeted = True
        if self.faults.get("silent"):
            self.ended.wait(60)
            return
        version = self.faults.get("version", (5, 8))
        self.send(connection, self.faults.get("handshake") or bytes([0, 0, version[1], version[0]]))
        answer = []
        while True:
            tag, fields = self.receive(connection)
            if tag == GOODBYE:
                return
            if tag in (HELLO, LOGON):
                self.log_in(connection, fields[0], tag == LOGON or version < (5, 1))
            elif tag == RUN:
                with self.lock:
                    self.queries += 1
                    number = self.queries
                if not self.misbehave(connection, number):
                    return
                answer = list(self.answer(*fields[:2]))
                self.send(connection, self.framed(SUCCESS, {"fields": ["x"], "t_first": 1}))
            elif tag == PULL:
                if answer and isinstance(answer[0], dict):
                    self.send(connection, self.framed(FAILURE, answer[0]))
                    continue
                most = self.faults.get("pull", fields[0]["n"])
                for record in answer[:most]:
                    self.send(connection, self.framed(RECORD, record))
                answer = answer[most:]
                self.send(connection, self.framed(SUCCESS, {"has_more": True} if answer else {"type": "r"}))

    def log_in(self, connection, fields, decides):
        if decides:
            self.seen.append((fields.get("principal"), fields.get("credentials")))
            wanted = self.faults.get("password")
            if wanted and fields.get("credentials") != wanted:
                self.send(connection, self.framed(FAILURE, {
                    "code": "Neo.ClientError.Security.Unauthorized",
                    "neo4j_code": "Neo.ClientError.Security.Unauthorized", "message": "unauthorized"}))
                raise EOFError
        self.send(connection, self.framed(SUCCESS, {"server": "Neo4j/5.26.0", "connection_id": "bolt-1"}))

    def misbehave(self, connection, number):
        """False: the connection ends here."""
        faults = self.faults
        if number > faults.get("die_after", number):
            self.deafen()
            return False
        if number > faults.get("hang_after", number):
            self.ended.wait(60)
            return False
        if number > faults.get("half_after", number):
            self.send(connection, self.framed(SUCCESS, {"fields": ["x"]}) + b"\0\x50\xB1\x71\x91")
            connection.shutdown(socket.SHUT_WR)
            self.ended.wait(60)
            return False
        if number > faults.get("flood_after", number):
            self.flood(connection, faults["flood"])
            return False
        if number > faults.get("raw_after", number):
            self.send(connection, faults["raw"])
            self.ended.wait(60)
            return False
        return True

    def flood(self, connection, kind):
        """An answer that never ends; it is the client who has to end it."""
        record = self.framed(RECORD, self.faults.get("record", [[0] * 1000]))
        connection.sendall(self.framed(SUCCESS, {"fields": ["x"]}))
        while not self.ended.is_set():
            if kind == "records":
                connection.sendall(record * (1 + (1 << 20) // len(record)))
            elif kind == "slow records":
                connection.sendall(record)
                self.ended.wait(0.1)
            elif kind == "signs of life":
                connection.sendall(b"\0\0" * 1000)
                self.ended.wait(0.001)
            elif kind == "more":
                self.receive(connection)
                connection.sendall(self.framed(SUCCESS, {"has_more": True}))
            elif kind == "one message":  # in chunks that never end
                connection.sendall((b"\xff\xff" + bytes(0xFFFF)) * 16)
            else:  # bytes
                for byte in record:
                    connection.sendall(bytes([byte]))
                    if self.ended.wait(0.1):
                        break

    # ---- the queries

    def answer(self, query, parameters):
        self.texts.append(query)
        if "nodes" in parameters:
            self.parameters = parameters
        short = self.faults.get("lists")
        if "elementId" in query:
            return [[[f"4:{self.mark}:0"] if self.nodes else []]]
        if "$rows" in query:
            return [[self.faults.get("count", self.write(query, parameters["rows"]))]]
        if "count(n)" in query:
            return [[len(self.nodes), max((n["id"] for n in self.nodes), default=None)]]
        if "LIMIT 10000 RETURN" in query:
            return [[[False if r[4] is None else r[4] for r in self.relationships[:10000]]]]
        if "count(r)" in query:
            return [[len(self.relationships), max((r[0] for r in self.relationships), default=None)]]
        if self.faults.get("fail"):
            code, message = self.faults["fail"]
            return [{"code": code, "neo4j_code": code, "message": message}]
        inside = [n for n in self.nodes if parameters["a"] <= n["id"] <= parameters["b"]]
        inside.reverse()  # the order means nothing
        if "MATCH (n)-[r" not in query:
            degrees = collections.Counter(r[1] for r in self.relationships)
            fields = [[n["id"] for n in inside]]
            if "]->()" in query:
                fields.append([degrees[n["id"]] for n in inside])
            if self.key:
                fields.append([n.get(self.key, False) for n in inside])
            if self.proxy:
                fields.append([self.proxy in n.get("labels", []) for n in inside])
            if "coalesce(n.`x`" in query:
                fields += [[n.get(c, False) for n in inside] for c in "xy"]
            return [fields]
        return self.groups({n["id"] for n in inside}, parameters, short, "id(r) = i" in query)

    def write(self, query, rows):
        """Sets a property, or takes it away; how many nodes were there."""
        name = re.search(r"SET n\.`(.*)` = r\[1\] RETURN", query).group(1).replace("``", "`")
        key = re.search(r"AND n\.`(.*)` = r\[2\] SET", query)
        count = 0
        with self.lock:
            if not hasattr(self, "by_id"):
                self.by_id = {n["id"]: n for n in self.nodes}
            for number, value, *more in rows:
                node = self.by_id.get(number)
                if node is None or (key and node.get(key.group(1)) != more[0]):
                    continue
                count += 1
                self.writes[number] += 1
                node.pop(name, None)
                if value is not None:
                    node[name] = value
        return count

    def groups(self, ids, parameters, short, by_id):
        groups = {}
        for number, source, target, kind, weight in self.relationships:
            if by_id:
                if parameters["a"] <= number <= parameters["b"]:
                    groups.setdefault((kind, number // parameters["items"]), []).append((source, target, number, weight))
            elif source in ids and number % parameters["parts"] == parameters["part"]:
                place = number // parameters["parts"] % parameters["groups"]
                groups.setdefault((kind, place), []).append((source, target, number, weight))
        for (kind, _), rows in sorted(groups.items()):
            self.sent += len(rows)
            lists = [[row[i] for row in rows] for i in range(3)]
            if self.weight:
                lists.append([False if row[3] is None else row[3] for row in rows])
            if short:
                lists[-1].pop(len(rows) // 2)
            yield [kind, *lists]
