import {execFileSync, spawnSync} from "node:child_process";
import {existsSync, readFileSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";
import {assert, makeFolder, pair, program, record, talus} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);
const file = record(folder.path, "pair", pair());

function size(name) {
  const bytes = readFileSync(join(folder.path, name));
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}
const fails = (...words) => {
  const {status, stderr} = spawnSync(program, ["render", file, ...words], {
    cwd: folder.path, encoding: "utf8", env: {...process.env, TALUS_VIEWER: process.env.TALUS_PAGE}});
  assert.equal(status, 2, stderr);
  return stderr;
};

// A picture has the size that was asked for, the same bytes every time, and depends on time and layers.
test("picture", () => {
  const draw = (name, ...words) => {
    talus(folder.path, "render", file, "-o", name, "--size", "320x200", ...words);
    return readFileSync(join(folder.path, name));
  };
  const first = draw("a.png", "--time", "0.1");
  assert.deepEqual(size("a.png"), [320, 200]);
  assert.ok(first.equals(draw("b.png", "--time", "0.1")), "two pictures of one moment differ");
  assert.ok(!first.equals(draw("c.png", "--time", "0.2")), "another time is the same picture");
  assert.deepEqual([...draw("a.jpg", "--time", "0.1").subarray(0, 3)], [0xff, 0xd8, 0xff]);
  assert.ok(!first.equals(draw("d.png", "--time", "0.1", "--show", "forces", "--colour", "speed")));
});

// Several frames make numbered pictures, or a film.
test("frames", (t) => {
  talus(folder.path, "render", file, "--frames", "0:40:20", "-o", "fall.png", "--size", "160x100");
  for (const number of ["0000", "0001", "0002"]) assert.deepEqual(size(`fall_${number}.png`), [160, 100]);
  assert.ok(!existsSync(join(folder.path, "fall.png")));
  if (spawnSync("ffmpeg", ["-version"]).error) return t.skip("ffmpeg is not installed");
  talus(folder.path, "render", file, "--frames", "0:9", "-o", "fall.mp4", "--size", "161x101");
  const facts = execFileSync("ffprobe", ["-v", "error", "-count_frames", "-show_entries", "stream=width,height,nb_read_frames",
                                         "-of", "csv=p=0", join(folder.path, "fall.mp4")], {encoding: "utf8"});
  assert.equal(facts.trim(), "162,102,10");  // the codec wants even numbers
  return undefined;
});

// A film of 0.4 s at 3.9 times their speed has a picture every 0.195 s at 20 a second: at 0, 0.195, 0.39 s and the end.
test("speed", (t) => {
  if (spawnSync("ffmpeg", ["-version"]).error) return t.skip("ffmpeg is not installed");
  talus(folder.path, "render", file, "--speed", "3.9", "--rate", "20", "-o", "quick.mp4", "--size", "160x100");
  const facts = execFileSync("ffprobe", ["-v", "error", "-count_frames", "-show_entries", "stream=r_frame_rate,nb_read_frames", "-of", "csv=p=0",
                                         join(folder.path, "quick.mp4")], {encoding: "utf8"});
  assert.equal(facts.trim(), "20/1,4");
  return undefined;
});

// Mistakes are said before a browser is started.
test("mistakes", () => {
  assert.match(fails("-o", "a.gif"), /\.png, \.jpg, \.mp4/);
  assert.match(fails("-o", "a.png", "--frames", "5:9999"), /frames are 0 to 100/);
  assert.match(fails("-o", "a.png", "--frames", "x"), /FIRST:LAST/);
  assert.match(fails("-o", "a.png", "--size", "12"), /WIDTHxHEIGHT/);
  assert.match(fails("-o", "nowhere/a.png"), /cannot write/);
  assert.match(fails("-o", "a.mp4", "--speed", "1e-9"), /at most 1000000 pictures/);
  assert.match(fails("-o", "a.png", "--speed", "2"), /--speed: a\.png is no film/);
  assert.match(fails("-o", "a.png", "--show", "everything"), /expected points, normals, forces, chains or cones/);
});
