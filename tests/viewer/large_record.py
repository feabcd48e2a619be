"""Opens a record of several gigabytes and prints how long that takes and what memory the server needs; not a test.

    TALUS_PROGRAM=build/release/src/talus/cli/talus /usr/bin/python3 tests/viewer/large_record.py [--gigabytes 4] [--keep FILE]

The record is that of a short run of 10^5 balls, made long: poses, velocities and contacts of random numbers, which hardly
compress, as those of a real bed; a few kinds of chunks over and over. It is removed at the end.
"""
import argparse
import os
import random
import signal
import subprocess
import tempfile
import time
import zlib
from pathlib import Path
from urllib.request import urlopen

import h5py
import numpy

PROGRAM = os.path.abspath(os.environ["TALUS_PROGRAM"])
SCENE = """
title: A large record
time: {step: 2 ms, end: 4 ms}
solver: {tolerance: 1e-2, max_iterations: 20}
record: {every: 1}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - name: grains
    mass: 0.01
    lattice: {shape: {sphere: 10 mm}, count: [50, 50, 40], spacing: [21 mm, 21 mm, 21 mm], origin: [0, 0, 9.99 mm]}
"""
CONTACTS = 250_000  # of a frame
KINDS = 4           # chunks that differ


def packed(numbers):
    """As the filters of a record do it: bytes of equal place side by side, then deflate."""
    raw = numpy.ascontiguousarray(numbers)
    shuffled = raw.view(numpy.uint8).reshape(-1, raw.dtype.itemsize).T.copy()
    return zlib.compress(shuffled.tobytes(), 3)


def some(generator, name, first, shape):
    """Numbers as a dataset could have them; `first`: its first frame."""
    if name == "poses/position":
        return first + generator.normal(0, 2e-3, shape)
    if name == "poses/orientation":
        q = generator.normal(0, 1, shape)
        return q / numpy.linalg.norm(q, axis=-1, keepdims=True)
    if name.startswith("contacts/body"):
        return generator.integers(1, 100_001, shape)
    if name == "contacts/normal":
        n = generator.normal(0, 1, shape)
        return n / numpy.linalg.norm(n, axis=-1, keepdims=True)
    if name == "contacts/feature":
        return numpy.zeros(shape)
    if name == "contacts/position":
        return generator.uniform(0, 1, shape)
    return generator.normal(0, 1e-2, shape)


def fill(dataset, name, rows, generator):
    """Makes a dataset so many rows long."""
    chunk = dataset.chunks
    bodies = dataset.shape[1:]
    start = dataset[0] if len(bodies) > 1 else None
    dataset.resize(rows, axis=0)
    tail = chunk[1:]
    columns = range(0, bodies[0], chunk[1]) if len(bodies) > 1 else [0]
    for column in columns:
        pieces = []
        for _ in range(KINDS):
            first = 0
            if start is not None:
                first = numpy.zeros(tail)
                part = start[column:column + tail[0]]
                first[:len(part)] = part
                first = first[None]
            pieces.append(packed(some(generator, name, first, chunk).astype(dataset.dtype)))
        for row in range(0, rows, chunk[0]):
            at = (row, column) + (0,) * (len(bodies) - 1) if len(bodies) > 1 else (row,) + (0,) * len(bodies)
            dataset.id.write_direct_chunk(at, pieces[(row // chunk[0]) % KINDS])


def make(path, gigabytes):
    scene = path.with_suffix(".yaml")
    scene.write_text(SCENE)
    subprocess.run([PROGRAM, "run", scene, "--quiet", "-o", path], check=True)
    scene.unlink()
    generator = numpy.random.default_rng(1)
    frames = round(gigabytes / 0.0288)  # as they come out
    with h5py.File(path, "r+") as file:
        step = file["steps/time"].shape[0]
        assert step == 2
        for name, rows in (("frames", frames), ("steps", frames - 1)):
            for column in file[name].values():
                column.resize(rows, axis=0)
        file["frames/step"][:] = numpy.arange(frames)
        file["frames/time"][:] = 2e-3 * numpy.arange(frames)
        file["steps/step"][:] = numpy.arange(1, frames)
        file["steps/time"][:] = 2e-3 * numpy.arange(1, frames)
        for group in ("energies", "certificates", "solver", "timings"):
            for column in file[group].values():
                last = column[-1]
                column.resize(frames - 1, axis=0)
                column[1:] = last
        file["contacts/offset"].resize(frames + 1, axis=0)
        file["contacts/offset"][:] = CONTACTS * numpy.arange(frames + 1)
        for name in ("poses/position", "poses/orientation", "velocities/linear", "velocities/angular"):
            fill(file[name], name, frames, generator)
        for name in ("body_a", "body_b", "position", "normal", "gap", "impulse", "feature"):
            fill(file["contacts/" + name], "contacts/" + name, frames * CONTACTS, generator)
    return frames


def forget(path):
    """Takes a file out of the system's memory: it is read from the disk again."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


class Server:
    def __init__(self, path):
        start = time.monotonic()
        self.process = subprocess.Popen([PROGRAM, "view", "-p", "0", path], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        self.address = self.process.stdout.readline().strip()
        self.start_seconds = time.monotonic() - start

    def get(self, path):
        with urlopen(self.address + path) as answer:
            return answer.read()

    def frame(self, number):
        return self.get(f"api/rows?path=poses/position&path=poses/orientation&first={number}&count=1&type=f32")

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def timed(task, *words):
    start = time.monotonic()
    answer = task(*words)
    return time.monotonic() - start, answer


def spread(seconds):
    seconds = sorted(seconds)
    return f"median {1e3 * seconds[len(seconds) // 2]:.0f} ms, worst {1e3 * seconds[-1]:.0f} ms"


def command(folder, *words):
    """Seconds and megabytes of a command."""
    start = time.monotonic()
    process = subprocess.Popen([PROGRAM, *map(str, words)], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    print(f"talus {' '.join(map(str, words[:4])):60} {time.monotonic() - start:7.2f} s  {usage.ru_maxrss / 1024:6.0f} MB"
          f"{'' if status == 0 else '  FAILED'}", flush=True)


def measure(path, frames):
    size = path.stat().st_size
    print(f"record: {size / 1e9:.2f} GB, {frames} frames of 10^5 balls, {CONTACTS} contacts each", flush=True)
    for state in ("from the disk", "in the system's memory"):
        if state == "from the disk":
            forget(path)
        server = Server(path)
        header_seconds, _ = timed(server.get, "api/header")
        first_seconds, _ = timed(server.frame, 0)
        chosen = random.Random(2).sample(range(frames), 30)
        scrubs = [timed(server.frame, k)[0] for k in chosen]
        contact = "&path=".join("contacts/" + name for name in ("body_a", "body_b", "position", "normal", "gap", "impulse"))
        contacts = [timed(server.get, f"api/rows?path={contact}&first={CONTACTS * k}&count={CONTACTS}&type=f32")[0]
                    for k in chosen[:10]]
        run = [timed(server.frame, k)[0] for k in range(30)]
        print(f"{state}: server ready {1e3 * server.start_seconds:.0f} ms, header {1e3 * header_seconds:.0f} ms, "
              f"first frame {1e3 * first_seconds:.0f} ms;\n  random frames {spread(scrubs)}; their contacts "
              f"{spread(contacts)}; one after the other {spread(run)}; memory of the server {server.memory():.0f} MB", flush=True)
        series_seconds, _ = timed(server.get, "api/series?name=body.grains[7].x")
        print(f"  path of a body {series_seconds:.1f} s; memory then {server.memory():.0f} MB", flush=True)
        server.stop()
    folder = path.parent
    command(folder, "info", path)
    command(folder, "plot", path, "energies", "-o", "e.csv")
    command(folder, "plot", path, "momentum", "-o", "m.csv")
    command(folder, "export", path, "--format", "vtk", "-o", "v.pvd", "--every", str(frames // 4))
    command(folder, "export", path, "--format", "gltf", "-o", "g.glb", "--every", str(frames // 4))
    command(folder, "view", path, "--export", "p.html", "--every", str(frames // 4))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gigabytes", type=float, default=4)
    parser.add_argument("--keep", type=Path, help="leave the record there, or use it if it is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.h5" if options.keep is None else options.keep.absolute()
        if path.exists():
            with h5py.File(path) as file:
                frames = file["frames/step"].shape[0]
        else:
            frames = make(path, options.gigabytes)
        os.symlink(path, Path(folder) / "record.h5")
        measure(Path(folder) / "record.h5", frames)


if __name__ == "__main__":
    main()
