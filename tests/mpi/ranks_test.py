"""Scenes by one process and by several: the same bits, and what several processes can do wrong."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import h5py

import scenes

PROGRAM = os.environ["TALUS_PROGRAM"]
MPIRUN = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
# More processes than cores, and as root, as in tests only.
LAUNCH = [MPIRUN, "--oversubscribe", "--bind-to", "none", "--quiet"]
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@unittest.skipIf(MPIRUN is None, "there is no mpirun (scripts/install-dependencies mpi)")
class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="talus_ranks_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def write(self, text, name="scene.yaml"):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def call(self, *words, **environment):
        return subprocess.run(words, cwd=self.folder, env={**os.environ, **AS_ROOT, **environment}, timeout=300,
                              text=True, capture_output=True, check=False)

    def summary(self, *words, code=0, **environment):
        result = self.call(*words, "--json", "--quiet", **environment)
        self.assertEqual(result.returncode, code, result.stderr)
        lines = result.stdout.splitlines()
        self.assertEqual(len(lines), 1, result.stdout)  # one rank alone speaks
        return json.loads(lines[0])

    def alone(self, scene, *more):
        return self.summary(PROGRAM, "run", scene, "--threads", "1", *more)

    def shared(self, scene, ranks, threads, rank_map, *more):
        return self.summary(*LAUNCH, "-n", str(ranks), PROGRAM, "run", scene, "--threads", str(threads), *more,
                            TALUS_RANK_MAP=rank_map)

    def assert_same_arrays(self, one, other):
        """Two files hold the same, to the last byte, but for how they were made and how long it took."""
        arrays = []
        for name in (one, other):
            found = {}
            with h5py.File(self.folder / name, "r") as file:
                file.visititems(lambda path, item, found=found: found.update(
                    {path: (str(item.dtype), item.shape, item[()].tobytes() if item.dtype.kind != "O" else str(item[()]))})
                    if isinstance(item, h5py.Dataset) and path.split("/")[0] not in ("provenance", "timings") else None)
            arrays.append(found)
        self.assertEqual(arrays[0].keys(), arrays[1].keys())
        self.assertGreater(len(arrays[0]), 5)
        self.assertEqual([path for path in arrays[0] if arrays[0][path] != arrays[1][path]], [])

    def check(self, scene, configurations, is_shared=True):
        path = self.write(scene)
        alone = self.alone(path, "--no-record")
        for ranks, threads, rank_map in configurations:
            with self.subTest(ranks=ranks, threads=threads, rank_map=rank_map):
                shared = self.shared(path, ranks, threads, rank_map, "--no-record")
                for key in ("state_hash", "steps", "iterations", "worst_certificate", "energy", "uncertified_steps"):
                    self.assertEqual(shared[key], alone[key], key)
                if ranks == 1:
                    continue
                self.assertEqual(shared["ranks"]["count"], ranks)
                self.assertEqual(shared["ranks"]["sent"], shared["ranks"]["predicted"])
                self.assertEqual(shared["ranks"]["shared_sweeps"] > 0, is_shared)

    # Any number of ranks and threads and any map of tiles give the state of the program without MPI, to the last bit,
    # and as many messages and bytes are sent as the lists say.
    def test_bed(self):
        self.check(scenes.bed(end=25), [(1, 1, "curve"), (1, 2, "curve"), (2, 1, "curve"), (2, 2, "random"), (3, 1, "slab"),
                                        (3, 2, "random"), (4, 1, "random"), (4, 2, "curve"), (8, 1, "curve")])

    def test_large_ball(self):
        self.check(scenes.large_ball(), [(3, 1, "curve")])

    def test_periodic(self):
        self.check(scenes.periodic(), [(3, 1, "random"), (2, 1, "slab")])

    def test_hopper(self):
        self.check(scenes.hopper(), [(3, 2, "curve")])

    def test_boxes(self):
        self.check(scenes.boxes(), [(3, 1, "curve")])

    def test_clumps(self):
        self.check(scenes.clumps(), [(2, 2, "random"), (4, 1, "curve")])

    def test_rolling_and_cohesion(self):
        self.check(scenes.rolling(), [(2, 1, "random"), (4, 1, "slab")])

    def test_source_and_sink(self):
        self.check(scenes.rain(), [(2, 1, "curve"), (4, 1, "random")])

    def test_sleeping(self):
        self.check(scenes.sleeping(), [(3, 1, "curve")])

    def test_machine(self):
        self.check(scenes.machine(), [(2, 1, "curve")])

    # The record and the checkpoint are those of one process, byte for byte of every array; a run is resumed on another
    # number of ranks, and by the program without MPI, with the same bits; rank 0 alone writes the record.
    def test_resume(self):
        scene = self.write(scenes.bed(side=10, end=30))
        whole = self.alone(scene, "-o", "whole.h5")
        self.shared(scene, 3, 1, "curve", "-o", "shared.h5")
        self.assert_same_arrays("whole.h5", "shared.h5")
        (self.folder / "shared.h5").unlink()
        for name, ranks in (("one.h5", 1), ("three.h5", 3)):
            self.shared(scene, ranks, 1, "curve", "--no-record", "--until", "10 ms", "--checkpoint", name)
        self.assert_same_arrays("one.h5", "three.h5")
        for name in ("one.h5", "three.h5"):
            (self.folder / name).unlink()
        self.shared(scene, 3, 1, "curve", "-o", "part.h5", "--until", "10 ms")
        self.shared(scene, 2, 1, "random", "--resume", "part.h5", "--until", "20 ms")
        end = self.alone(scene, "--resume", "part.h5")
        self.assertEqual(end["state_hash"], whole["state_hash"])
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["part.h5", "scene.yaml", "whole.h5"])

    # One rank records, while ranks share the certificate and the energy of so many contacts and bodies.
    def test_record_of_many(self):
        scene = self.write(scenes.bed(side=13, end=10))
        self.alone(scene, "-o", "whole.h5")
        self.shared(scene, 2, 1, "curve", "-o", "shared.h5")
        self.assert_same_arrays("whole.h5", "shared.h5")

    # Between frames each rank has its part of a bed at rest; frames, the numbers of all steps and the state at the end
    # are those of one process.
    def test_steps_in_parts(self):
        scene = self.write(scenes.resting())
        alone = self.alone(scene, "-o", "whole.h5")
        for ranks, rank_map in ((2, "curve"), (3, "random")):
            shared = self.shared(scene, ranks, 1, rank_map, "-o", "shared.h5")
            self.assertGreater(shared["ranks"]["steps_in_parts"], 12)
            self.assertEqual(shared["ranks"]["sent"], shared["ranks"]["predicted"])
            self.assertEqual(shared["worst_certificate"], alone["worst_certificate"])
            self.assert_same_arrays("whole.h5", "shared.h5")
            (self.folder / "shared.h5").unlink()
        shared = self.shared(scene, 2, 1, "curve", "-o", "shared.h5", "--set", "record.every=1")
        self.assertEqual(shared["ranks"]["steps_in_parts"], 0)  # somebody reads all of each step
        self.assertEqual(shared["state_hash"], alone["state_hash"])

    # `--ranks` starts the processes.
    def test_option_ranks(self):
        scene = self.write(scenes.bed(side=9, end=10))
        alone = self.alone(scene, "--no-record")
        shared = self.summary(PROGRAM, "run", scene, "--no-record", "--ranks", "2")
        self.assertEqual(shared["state_hash"], alone["state_hash"])
        self.assertEqual(shared["ranks"]["count"], 2)
        text = self.call(PROGRAM, "run", scene, "--no-record", "--ranks", "2").stdout
        self.assertRegex(text, r"  ranks +2 × \d+ threads?, imbalance .* messages and .* kB per sweep\n")
        self.assertEqual(text.count("state "), 1)

    # What is wrong is said once, and all ranks end with its exit code: a scene, an option, a file that cannot be written,
    # a step that is not certified.
    def test_errors(self):
        scene = self.write(scenes.bed(side=9, end=10))
        bad = self.write("time: {step: -1 s}\n", "bad.yaml")
        (self.folder / "taken").mkdir()
        for words, code, message in ((["run", bad], 2, "bad.yaml"),
                                     (["run", scene, "--no-record", "--tolerances", "1"], 2, "--tolerances"),
                                     (["run", scene, "-o", str(self.folder / "taken")], 2, "taken"),
                                     (["run", scene, "--ranks", "3", "--no-record"], 2, "--ranks"),
                                     (["info", scene], 2, "only run"),
                                     (["run", scene, "--no-record", "--set", "solver.max_iterations=1",
                                       "--tolerance", "1e-12", "--set", "on_uncertified=stop"], 3, "certified")):
            program = PROGRAM if words[0] == "run" else PROGRAM + "-mpi"
            with self.subTest(words=words[2:]):
                result = self.call(*LAUNCH, "-n", "2", program, *words)
                self.assertEqual(result.returncode, code, result.stdout + result.stderr)
                self.assertEqual((result.stdout + result.stderr).count(message) > 0, True, result.stderr)
                self.assertLess(result.stderr.count("hint"), 2, result.stderr)

    # Processes that know nothing of each other are told so: no MPI in the program, another scene on another rank.
    def test_wrong_launches(self):
        scene = self.write(scenes.bed(side=9, end=10))
        lonely = self.folder / "bin" / "talus"
        lonely.parent.mkdir()
        shutil.copy(PROGRAM, lonely)
        result = self.call(*LAUNCH, "-n", "2", str(lonely), "run", scene, "--no-record")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("built without MPI"), 1, result.stderr)
        # The launcher of another MPI: it speaks of two processes, each of which is alone.
        result = self.call(PROGRAM + "-mpi", "run", scene, "--no-record", PMI_SIZE="2", PMI_RANK="0")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("2 processes", result.stderr)
        other = self.write(scenes.bed(side=9, end=11), "other.yaml")
        result = self.call(*LAUNCH, "-n", "1", PROGRAM, "run", scene, "--no-record", ":",
                           "-n", "1", PROGRAM, "run", other, "--no-record")
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stderr.count("rank 1 has another scene"), 1, result.stderr)

    def start(self, record):
        """Three ranks at work that have recorded something."""
        scene = self.write(scenes.bed(side=10, end=2000))
        run = subprocess.Popen([PROGRAM, "run", scene, "--ranks", "3", "-o", record, "--quiet", "--threads", "1",
                                "--flush-every", "0.1"],
                               cwd=self.folder, env={**os.environ, **AS_ROOT}, text=True,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(run.kill)
        deadline = time.monotonic() + 60
        while self.frames(record) == 0 and time.monotonic() < deadline:
            time.sleep(0.1)
        return scene, run

    def frames(self, record):
        """What a record holds so far."""
        if not (self.folder / record).exists():
            return 0
        info = self.call(PROGRAM, "info", record, "--json")
        return json.loads(info.stdout.splitlines()[-1])["frames"] if info.returncode == 0 else 0

    # An error that one rank has in the middle of a run is said once, and all end with its exit code.
    def test_one_rank_fails(self):
        (self.folder / "there").mkdir()
        _, run = self.start("there/out.h5")
        (self.folder / "there").rename(self.folder / "elsewhere")
        said = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 2, said)
        self.assertEqual(said.count("recording ends here"), 1, said)

    def children(self, process):
        return subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True,
                              check=True).stdout.split()

    def assert_gone(self, processes):
        for process in processes:
            self.assertFalse(pathlib.Path(f"/proc/{process}").exists() and
                             "talus" in pathlib.Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8"))

    # If any rank is killed at any time, all end within 5 s with an exit code that is not 0, and say how to restart: what
    # is recorded is whole, and the command continues from it. TALUS_KILLS says how often it is tried.
    def test_killed(self):
        chance = random.Random(1)
        for attempt in range(int(os.environ.get("TALUS_KILLS", "2"))):
            record, victim, delay = f"cut_{attempt}.h5", chance.randrange(3), chance.uniform(0, 1)
            with self.subTest(victim=victim, delay=delay):
                self.kill_one(record, victim, delay)

    def kill_one(self, record, victim, delay):
        _, run = self.start(record)
        time.sleep(delay)
        ranks = self.children(self.children(run.pid)[0])
        self.assertEqual(len(ranks), 3)
        os.kill(int(ranks[victim]), signal.SIGKILL)
        killed = time.monotonic()
        said = run.communicate(timeout=60)[1]
        self.assertLess(time.monotonic() - killed, 5)
        self.assertNotEqual(run.returncode, 0)
        self.assert_gone(ranks)
        info = json.loads(self.call(PROGRAM, "info", record, "--json").stdout.splitlines()[-1])
        self.assertGreater(info["frames"], 0)
        command = said.split("to restart: ")[1].splitlines()[0].split()
        self.assertEqual(command[0], "talus")
        self.assertIn(record, command)
        self.summary(PROGRAM, *command[1:], "--until", f"{info['time'] + 0.002} s")

    # A signal to the process that was started, or to its group as from a terminal, ends all after the step: the exit
    # code is that of an interrupted run, and the record is complete.
    def test_ended(self):
        for number, tell in ((signal.SIGTERM, os.kill), (signal.SIGINT, os.killpg), (signal.SIGTERM, os.killpg)):
            with self.subTest(signal=number, tell=tell.__name__):
                record = f"cut_{tell.__name__}_{number}.h5"
                _, run = self.start(record)
                ranks = self.children(self.children(run.pid)[0])
                tell(run.pid, number)
                said = run.communicate(timeout=60)[1]
                self.assertEqual(run.returncode, 130, said)
                self.assert_gone(ranks)
                info = json.loads(self.call(PROGRAM, "info", record, "--json").stdout.splitlines()[-1])
                self.assertEqual(info["status"], "interrupted")

    # What `estimate` says of messages and bytes is what a step on so many ranks sends: so many in each sweep, and those
    # with which impulses of the step before begin.
    def test_estimate(self):
        for scene in (scenes.slow(), scenes.slow("box: [19.3 mm, 19.3 mm, 19.3 mm]")):
            path = self.write(scene)
            for ranks in (2, 4):
                said = json.loads(self.call(PROGRAM, "estimate", path, "--ranks", str(ranks), "--json").stdout)
                sent = self.shared(path, ranks, 1, "curve", "--no-record", "--until", "1 ms")["ranks"]
                self.assertEqual(sent["sent"], sent["predicted"])
                self.assertGreater(sent["shared_sweeps"], 0)
                for what in ("messages", "bytes"):
                    begins = sent["sent"][what] - sent["shared_sweeps"] * said["all"][what]
                    self.assertEqual(begins % said["start"][what], 0, (what, ranks, sent, said))
                    self.assertLess(begins, 8 * said["start"][what])
                self.assertLessEqual(said["busiest"]["messages"], 8 * (ranks - 1))


if __name__ == "__main__":
    unittest.main()
