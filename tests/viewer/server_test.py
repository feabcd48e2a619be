import base64
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlsplit

import h5py
import numpy

PROGRAM = os.environ["TALUS_PROGRAM"]
SCENE = """
title: Balls </script> & a floor
time: {step: 1 ms, end: 50 ms}
record: {every: 5}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - name: ball
    material: default
    mass: 1
    lattice: {shape: {sphere: 0.1}, count: [2, 2, 2], spacing: [0.21, 0.21, 0.21], origin: [0, 0, 0.1]}
  - {name: crate, shape: {box: [0.2, 0.1, 0.1]}, mass: 2, position: [1, 0, 0.3], velocity: [1, 0, 0], angular_velocity: [1, 2, 3]}
"""
PAGE = "<html><body><!--talus-record--><p>the page</p></body></html>"


class Served:
    """talus view FILE … in the background; address is what it prints."""

    def __init__(self, folder, *words, page=None):
        environment = dict(os.environ, TALUS_VIEWER=str(page or folder / "page.html"))
        self.process = subprocess.Popen([PROGRAM, "view", *words], cwd=folder, env=environment, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.address = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=20)
        return self.process.returncode, err

    def get(self, path, host=None, port=None):
        where = urlsplit(self.address)
        connection = http.client.HTTPConnection("127.0.0.1", port or where.port, timeout=10)
        connection.request("GET", path, headers={"Host": host or where.netloc})
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.folder = Path(keep.name)
        (cls.folder / "balls.yaml").write_text(SCENE)
        (cls.folder / "page.html").write_text(PAGE)
        (cls.folder / "secret.txt").write_text("secret")
        subprocess.run([PROGRAM, "run", "balls.yaml", "--quiet"], cwd=cls.folder, check=True)
        cls.record = h5py.File(cls.folder / "balls.h5")
        cls.addClassCleanup(cls.record.close)
        cls.server = Served(cls.folder, "balls.h5", "-p", "0")
        cls.addClassCleanup(cls.server.stop)

    def view(self, *words):
        environment = dict(os.environ, TALUS_VIEWER=str(self.folder / "page.html"))
        return subprocess.run([PROGRAM, "view", *words], cwd=self.folder, env=environment, text=True,
                              capture_output=True, timeout=20)

    # The page is at /, on loopback only.
    def test_serves_the_page(self):
        self.assertTrue(self.server.address.startswith("http://127.0.0.1:"), self.server.address)
        self.assertEqual(self.server.get("/"), (200, PAGE.encode()))

    # Nothing but the page and the record is there, however the path is written.
    def test_refuses_other_paths(self):
        for path in ("/secret.txt", "/balls.h5", "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/%2e%2e/etc/passwd",
                     "/etc/passwd", "//etc/passwd", "/api", "/api/", "/api/rows/../../secret.txt", "/index.html"):
            status, body = self.server.get(path)
            self.assertIn(status, (400, 404), path)
            self.assertNotIn(b"secret\n", body)
            self.assertIn("error", json.loads(body), path)

    # Rows can be asked of datasets of the record only, and no more than there are.
    def test_refuses_other_datasets(self):
        for query in ("path=../secret.txt&type=f32", "path=bodies&type=f32", "path=bodies/name&type=f32",
                      "path=&type=f32", "type=f32", "path=poses/position&type=i8",
                      "path=poses/position&first=-1&count=1&type=f32", "path=poses/position&first=0&count=999&type=f32",
                      "path=poses/position&first=x&type=f32", "path=poses/position&first=0&count=99999999999&type=f32",
                      "path=poses/position&first=-9223372036854775808&type=f32",
                      "path=poses/position&first=9223372036854775807&count=9223372036854775807&type=f64"):
            status, body = self.server.get("/api/rows?" + query)
            self.assertIn(status, (400, 404), query)
            self.assertIn("error", json.loads(body), query)

    # A page of another site that reaches this port under a name of its own gets nothing.
    def test_refuses_other_hosts(self):
        for host in ("evil.example", "evil.example:80", "127.evil.example"):
            self.assertEqual(self.server.get("/api/header", host=host)[0], 403, host)
        self.assertEqual(self.server.get("/api/header", host="localhost:1")[0], 200)

    # Nor does a page of another site that sends requests to this machine: it could pause a run.
    def test_refuses_other_origins(self):
        where = urlsplit(self.server.address)
        for origin, status in (("http://evil.example", 403), ("null", 403), (f"http://{where.hostname}:1", 403), (f"http://{where.netloc}", 200)):
            connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=10)
            connection.request("GET", "/api/progress", headers={"Host": where.netloc, "Origin": origin})
            self.assertEqual(connection.getresponse().status, status, origin)
            connection.close()

    # Rows are those of the file, in single or double precision.
    def test_rows_are_those_of_the_file(self):
        _, body = self.server.get("/api/rows?path=poses/position&path=poses/orientation&first=3&count=2&type=f32")
        expected = [numpy.asarray(self.record[name][3:5], "<f4").tobytes() for name in ("poses/position", "poses/orientation")]
        self.assertEqual(body, b"".join(expected))
        _, body = self.server.get("/api/rows?path=energies/kinetic&first=0&count=-1&type=f64")
        self.assertEqual(body, numpy.asarray(self.record["energies/kinetic"][:], "<f8").tobytes())

    # In single precision chunks of the file are unpacked by threads: any rows of any dataset of numbers come as they are,
    # whatever the precision of the file.
    def test_unpacked_rows(self):
        for precision in ("single", "double"):
            with self.subTest(precision):
                self.unpacked_rows(precision)

    def unpacked_rows(self, precision):
        (self.folder / "many.yaml").write_text("record: {every: 1, contacts_every: 1, precision: " + precision + """}
time: {step: 1 ms, end: 3 ms}
gravity: [0, 0, -10]
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - name: balls
    mass: 1
    velocity: [0.1, 0, 0]
    lattice: {shape: {sphere: 0.1}, count: [460, 200, 1], spacing: [0.3, 0.4, 0.5], origin: [0, 0, 0.1]}
""")
        subprocess.run([PROGRAM, "run", "many.yaml", "--quiet"], cwd=self.folder, check=True)
        with h5py.File(self.folder / "many.h5") as record, Served(self.folder, "many.h5", "-p", "0") as server:
            self.assertLess(record["poses/position"].chunks[1], 92001)  # several chunks side by side
            for path, first, count in (("poses/position", 1, 2), ("poses/orientation", 3, 1), ("velocities/linear", 0, 4),
                                       ("contacts/position", 4000, 9000), ("contacts/body_b", 4095, 2), ("bodies/kind", 0, -1),
                                       ("contacts/feature", 50000, 20), ("contacts/gap", 0, 0), ("steps/time", 1, 2)):
                _, body = server.get(f"/api/rows?path={path}&first={first}&count={count}&type=f32")
                rows = record[path][first:] if count < 0 else record[path][first:first + count]
                self.assertEqual(body, numpy.asarray(rows, "<f4").tobytes(), path)
            # Also when many are asked for at once.
            with ThreadPoolExecutor(8) as pool:
                many = list(pool.map(lambda k: server.get(f"/api/rows?path=poses/position&first={k % 4}&count=1&type=f32")[1], range(32)))
            for k, body in enumerate(many):
                self.assertEqual(body, numpy.asarray(record["poses/position"][k % 4:k % 4 + 1], "<f4").tobytes())

    # The header names groups of bodies, not ten thousand bodies.
    def test_header(self):
        header = json.loads(self.server.get("/api/header")[1])
        self.assertEqual([(g["name"], g["first"], g["count"]) for g in header["groups"]],
                         [("floor", 0, 1), ("ball", 1, 8), ("crate", 9, 1)])
        self.assertEqual((header["frames"], header["steps"], header["status"]), (11, 50, "finished"))
        self.assertEqual(header["datasets"]["poses/position"], {
            "shape": [11, 10, 3], "unit": "m", "meaning": "centre of mass, world frame"})

    def series(self, name):
        status, body = self.server.get("/api/series?name=" + quote(name))
        self.assertEqual(status, 200, body)
        head, _, _ = body.partition(b"\n")
        table, at = {}, len(head) + 1
        for entry in json.loads(head):
            numbers = numpy.frombuffer(body[at:at + 16 * entry["count"]], "<f8")
            table[entry["name"]] = numbers.reshape(2, -1)
            at += 16 * entry["count"]
        self.assertEqual(at, len(body))
        return table

    # Series by name: a group, a body, and momentum, which is made from the frames.
    def test_series(self):
        energies = self.series("energies")
        self.assertEqual(list(energies), ["energies/kinetic", "energies/potential", "energies/total"])
        numpy.testing.assert_array_equal(energies["energies/total"][1], self.record["energies/total"][:])
        numpy.testing.assert_array_equal(self.series("body.crate.x")["body.crate.x"],
                                         [self.record["frames/time"][:], self.record["poses/position"][:, 9, 0]])
        momentum = self.series("momentum")
        mass = numpy.where(self.record["bodies/kind"][:] == 0, self.record["bodies/mass"][:], 0)
        linear = numpy.einsum("i,fic->fc", mass, self.record["velocities/linear"][:])
        for axis, name in enumerate("xyz"):
            numpy.testing.assert_allclose(momentum["momentum/linear." + name][1], linear[:, axis], atol=1e-12)
        # At the start about the origin: r x m v of the crate, and I w.
        crate = self.record["bodies/inertia"][9] @ [1, 2, 3] + numpy.cross([1, 0, 0.3], [2, 0, 0])
        numpy.testing.assert_allclose([momentum["momentum/angular." + c][1][0] for c in "xyz"], crate, atol=1e-12)

    # A series that is not there is answered with the nearest name.
    def test_series_hint(self):
        status, body = self.server.get("/api/series?name=energies/kinetc")
        self.assertEqual(status, 404)
        self.assertIn("did you mean 'energies/kinetic'?", json.loads(body)["error"])

    # Listening for other machines, every request needs the token that is in the printed address.
    def test_token(self):
        with Served(self.folder, "balls.h5", "-p", "0", "--host", "0.0.0.0") as server:
            token = re.fullmatch(r"http://[^/]+:\d+/\?token=([0-9a-f]{32})", server.address).group(1)
            for path in ("/", "/api/header", "/api/header?token=", "/api/header?token=" + "0" * 32, "/?token=" + token[:-1]):
                self.assertEqual(server.get(path)[0], 403, path)
            self.assertEqual(server.get("/?token=" + token), (200, PAGE.encode()))
            self.assertEqual(server.get("/api/header?token=" + token)[0], 200)

    # Ctrl-C ends the server in good order.
    def test_ends_by_interrupt(self):
        server = Served(self.folder, "balls.h5", "-p", "0")
        self.assertEqual(server.get("/")[0], 200)
        self.assertEqual(server.stop()[0], 0)

    # A port that another program has is said, when it was asked for.
    def test_port_in_use(self):
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            result = self.view("balls.h5", "-p", str(other.getsockname()[1]))
        self.assertEqual(result.returncode, 2)
        self.assertIn("cannot listen", result.stderr)

    # An address that this machine does not have is said, with those that it may be; the port has no part in it.
    def test_host_of_another_machine(self):
        for words in ([], ["-p", "0"]):
            result = self.view("balls.h5", "--host", "192.0.2.1", *words)
            self.assertEqual(result.returncode, 2)
            self.assertIn("--host: this machine has no address 192.0.2.1 to listen on", result.stderr)
            self.assertIn("127.0.0.1 is for this machine alone", result.stderr)

    # Files that are no records are refused with words and exit code 2.
    def test_wrong_files(self):
        whole = (self.folder / "balls.h5").read_bytes()
        (self.folder / "cut.h5").write_bytes(whole[:len(whole) // 2])
        (self.folder / "noise.h5").write_bytes(b"no record at all")
        (self.folder / "broken.yaml").write_text("bodies: 7")
        with h5py.File(self.folder / "foreign.h5", "w") as file:
            file["x"] = [1.0]
        for name, words in (("cut.h5", "cut off"), ("noise.h5", "not an HDF5 file"), ("foreign.h5", "not a Talus record"),
                            ("missing.h5", "no such file"), ("broken.yaml", "bodies")):
            result = self.view(name)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn(words, result.stderr)

    # Without the built page the verb says what is missing; the others do not need it.
    def test_without_the_page(self):
        environment = dict(os.environ, TALUS_VIEWER="nothing.html")
        result = subprocess.run([PROGRAM, "view", "balls.h5"], cwd=self.folder, env=environment, text=True,
                                capture_output=True, timeout=20)
        self.assertEqual(result.returncode, 2)
        self.assertIn("has not been built", result.stderr)
        self.assertIn("Node.js", result.stderr)
        subprocess.run([PROGRAM, "info", "balls.h5"], cwd=self.folder, env=environment, check=True, capture_output=True)

    # A record that is damaged while it is served is said to the page, and served again when it is whole.
    def test_a_file_that_changes(self):
        shutil.copy(self.folder / "balls.h5", self.folder / "changing.h5")
        with Served(self.folder, "changing.h5", "-p", "0") as server:
            before = json.loads(server.get("/api/progress")[1])
            whole = (self.folder / "changing.h5").read_bytes()
            (self.folder / "new.h5").write_bytes(whole[:5000])
            os.replace(self.folder / "new.h5", self.folder / "changing.h5")
            status, body = server.get("/api/header")
            self.assertEqual(status, 404)
            self.assertIn("cut off", json.loads(body)["error"])
            (self.folder / "new.h5").write_bytes(whole)
            os.replace(self.folder / "new.h5", self.folder / "changing.h5")
            after = json.loads(server.get("/api/progress")[1])
            self.assertEqual(after["steps"], before["steps"])
            self.assertNotEqual(after["revision"], before["revision"])

    def exported(self, *words):
        result = self.view("balls.h5", "--export", "out.html", *words)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (self.folder / "out.html").read_text()
        blocks = dict(re.findall(r'<script type="text/plain" data-block="([^"]*)">([^<]*)</script>', text))
        header = re.search(r'<script type="application/json" id="talus-header">(.*?)</script>', text).group(1)
        unpacked = {name: gzip.decompress(base64.b64decode(data)) for name, data in blocks.items()}
        return text, json.loads(header), unpacked

    # An exported page holds the record's numbers, and nothing in a title can end a script.
    def test_export(self):
        text, header, blocks = self.exported()
        self.assertEqual(header["title"], "Balls </script> & a floor")
        self.assertIn("<p>the page</p>", text)
        self.assertEqual(blocks["poses/position"], numpy.asarray(self.record["poses/position"][:], "<f4").tobytes())
        self.assertEqual(blocks["contacts/impulse"], numpy.asarray(self.record["contacts/impulse"][:], "<f4").tobytes())
        total = numpy.frombuffer(blocks["series:energies/total"], "<f8").reshape(2, -1)
        numpy.testing.assert_array_equal(total, [self.record["steps/time"][:], self.record["energies/total"][:]])

    # Of every third frame, and the last; contacts go with their frames.
    def test_export_of_some_frames(self):
        _, header, blocks = self.exported("--every", "3")
        kept = [0, 3, 6, 9, 10]
        self.assertEqual(header["frames"], 5)
        self.assertEqual(blocks["frames/time"], numpy.asarray(self.record["frames/time"][kept], "<f8").tobytes())
        self.assertEqual(header["datasets"]["poses/position"]["shape"], [5, 10, 3])
        offset = self.record["contacts/offset"][:]
        gaps = numpy.concatenate([self.record["contacts/gap"][offset[k]:offset[k + 1]] for k in kept])
        self.assertEqual(blocks["contacts/gap"], gaps.astype("<f4").tobytes())
        edges = struct.unpack("<6d", blocks["contacts/offset"])
        self.assertEqual(list(edges), [0, *numpy.cumsum(offset[1:][kept] - offset[:-1][kept])])

    # A scene is run and served; its record stays, as of talus run.
    def test_runs_a_scene(self):
        with Served(self.folder, "balls.yaml", "-p", "0", "-o", "live.h5", "--until", "0.02") as server:
            for _ in range(400):
                progress = json.loads(server.get("/api/progress")[1])
                if progress["status"] == "finished":
                    break
            self.assertEqual((progress["status"], progress["steps"]), ("finished", 20))
        with h5py.File(self.folder / "live.h5") as record:
            self.assertEqual(record.attrs["status"], b"finished" if isinstance(record.attrs["status"], bytes) else "finished")


class Runs(unittest.TestCase):
    """One address is one record, and numbers of two runs are never mixed."""

    def setUp(self):
        keep = tempfile.TemporaryDirectory()
        self.addCleanup(keep.cleanup)
        self.folder = Path(keep.name)
        (self.folder / "page.html").write_text(PAGE)
        self.run_scene()

    def run_scene(self, scene=SCENE, name="balls"):
        (self.folder / f"{name}.yaml").write_text(scene)
        subprocess.run([PROGRAM, "run", f"{name}.yaml", "--quiet"], cwd=self.folder, check=True)

    # A run that is shown live can be pulled at: a crate comes to where the hand is, its record tells of the hand, and
    # what is no command is refused.
    def test_pulls_a_body(self):
        (self.folder / "crate.yaml").write_text(
            "gravity: [0, 0, 0]\ntime: {step: 1 ms, end: 4000 s}\nrecord: {every: 20}\n"
            "bodies:\n  - {name: crate, shape: {box: [0.2, 0.1, 0.1]}, mass: 2, position: [0, 0, 0]}\n")
        with Served(self.folder, "crate.yaml", "-p", "0", "-o", "crate.h5") as server:
            def tell(command):
                where = urlsplit(server.address)
                connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=10)
                connection.request("POST", "/api/run", body=command, headers={"Host": where.netloc})
                status = connection.getresponse().status
                connection.close()
                return status

            def place():
                """Of the crate in the last frame; at first there is none."""
                count = json.loads(server.get("/api/progress")[1])["frames"]
                status, body = server.get(f"/api/rows?path=poses/position&first={count - 1}&count=1&type=f64")
                return numpy.frombuffer(body) if status == 200 else numpy.zeros(3)

            for command in ("", "pull", "pull 0 0 0 0 1 2", "pull -1 0 0 0 1 2 3", "pull 0 0 0 0 1 2 x", "pull 0 0 0 0 1 2 3 4",
                            "pull 0 0 0 0 1 2 inf", "pause\ngo", "stop"):
                self.assertEqual(tell(command), 400, command)
            self.assertEqual(tell("pull 0 0 0 0 1 2 3"), 200)
            deadline = time.monotonic() + 60
            while numpy.abs(place() - [1, 2, 3]).max() > 1e-6 and time.monotonic() < deadline:
                time.sleep(0.05)
            numpy.testing.assert_allclose(place(), [1, 2, 3], atol=1e-6)
            self.assertEqual(tell("release"), 200)
            code, _ = server.stop()
            self.assertEqual(code, 0)
        with h5py.File(self.folder / "crate.h5") as record:
            self.assertGreater(record.attrs["pushed_steps"], 100)

    def test_an_address_that_nobody_can_use(self):
        """No address to listen on, and one that cannot be written, are errors: nobody would know where to look."""
        environment = dict(os.environ, TALUS_VIEWER=str(self.folder / "page.html"))
        with open("/dev/full", "w") as full:
            for words, output, error in (("--host", ""), subprocess.DEVNULL, "--host: expected an address"), (("-p", "0"), full, "standard output"):
                ended = subprocess.run([PROGRAM, "view", "balls.h5", *words], cwd=self.folder, text=True, stdout=output,
                                       stderr=subprocess.PIPE, env=environment, timeout=20)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(error, ended.stderr)

    def test_a_port_is_of_one_server(self):
        """Three views with the usual port have three ports; one that is asked for and in use is an error."""
        with Served(self.folder, "balls.h5") as first, Served(self.folder, "balls.h5") as second, Served(self.folder, "balls.h5") as third:
            ports = {urlsplit(one.address).port for one in (first, second, third)}
            self.assertEqual(len(ports), 3)
            taken = subprocess.run([PROGRAM, "view", "balls.h5", "-p", str(min(ports))], cwd=self.folder, text=True, capture_output=True,
                                   env=dict(os.environ, TALUS_VIEWER=str(self.folder / "page.html")), timeout=20)
            self.assertEqual(taken.returncode, 2)
            self.assertIn("--port", taken.stderr)

    def test_rows_of_another_run_are_refused(self):
        """A page that has read the header of one run gets no rows of the next."""
        with Served(self.folder, "balls.h5", "-p", "0") as server:
            run = json.loads(server.get("/api/header")[1])["run"]
            rows = f"/api/rows?path=poses/position&first=0&count=1&type=f32&run={run}"
            self.assertEqual(server.get(rows)[0], 200)
            self.run_scene(SCENE.replace("[1, 0, 0.3]", "[1, 0, 0.4]"))
            self.assertNotEqual(json.loads(server.get("/api/progress")[1])["run"], run)
            self.assertEqual(server.get(rows)[0], 409)
            self.assertEqual(server.get(f"/api/series?name=energies&run={run}")[0], 409)

    def test_several_records(self):
        """Each is asked for by its number."""
        self.run_scene(SCENE.replace("end: 50 ms", "end: 20 ms"), "short")
        with Served(self.folder, "balls.h5", "short.h5", "-p", "0") as server:
            self.assertEqual(json.loads(server.get("/api/header")[1])["records"], ["balls.h5", "short.h5"])
            self.assertEqual(json.loads(server.get("/api/header?record=1")[1])["file"], "short.h5")
            self.assertEqual(server.get("/api/header?record=2")[0], 400)

    def test_an_address_for_other_machines(self):
        """Where the server listens on all addresses, it prints one that can be opened."""
        with Served(self.folder, "balls.h5", "-p", "0", "--host", "0.0.0.0") as server:
            self.assertIn("token=", server.address)
            host = urlsplit(server.address).hostname
            others = subprocess.run(["hostname", "-I"], text=True, capture_output=True).stdout.split()
            if not others:
                self.skipTest("this machine has no network")
            self.assertIn(host, others)


if __name__ == "__main__":
    unittest.main()
