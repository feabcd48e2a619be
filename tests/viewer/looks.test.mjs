// What the picture tells: height by shadows, boxes of planes, what is hidden, cut, followed, written over it.
import {writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";
import {assert, makeFolder, open, openRecord, pair, pixels, record, serve, show, shown, talus, whereIs} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);
const pairRecord = record(folder.path, "pair", pair());
const box = `
title: Balls in a box of planes
time: {step: 1 ms, end: 600 ms}
record: {every: 20}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: left, shape: {plane: {normal: [1, 0, 0]}}, position: [-0.3, 0, 0], fixed: true}
  - {name: right, shape: {plane: {normal: [-1, 0, 0]}}, position: [0.3, 0, 0], fixed: true}
  - {name: back, shape: {plane: {normal: [0, -1, 0]}}, position: [0, 0.3, 0], fixed: true}
  - {name: front, shape: {plane: {normal: [0, 1, 0]}}, position: [0, -0.3, 0], fixed: true}
  - name: balls
    mass: 1
    lattice: {shape: {sphere: 0.1}, count: [2, 2, 2], spacing: [0.21, 0.21, 0.21], origin: [-0.1, -0.1, 1]}
`;
const boxRecord = record(folder.path, "box", box);

/** Brightness of the picture at a point of the world. */
const brightness = (page, point) => page.evaluate((p) => {
  talus.view.drawNow();
  const canvas = talus.view.renderer.domElement;
  const [x, y] = talus.view.project(talus.view.extent.center.clone().fromArray(p));
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const scale = canvas.width / canvas.clientWidth;
  const {data} = context.getImageData(scale * x - 3, scale * y - 3, 7, 7);
  return data.reduce((sum, value, i) => (i % 4 === 3 ? sum : sum + value), 0) / (3 * 49);
}, point);

// Under a body is its shadow: far from it where it is high, at its foot where it rests.
test("shadows", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, pairRecord);
  await show(page, 0);
  await page.evaluate(() => talus.view.look("top"));
  // The ball's centre is 0.5 m high: along the sun its shadow's is at a distance of that height.
  const spot = await page.evaluate(() => {
    const sun = talus.view.textures.uniforms.uSun.value;
    const ball = talus.view.textures.position(talus.recording.findBody("ball"));
    return ball.addScaledVector(sun, -ball.z / sun.z).toArray();
  });
  await page.evaluate(() => talus.options.set("bodies", "hidden"));
  const [lit, unlit] = [await brightness(page, spot), null];
  await page.evaluate(() => {
    talus.options.set("bodies", "solid");
    talus.options.set("hide", "");
    talus.view.look("front");
  });
  await page.evaluate(() => talus.view.setCamera("0.3,-4,4,0,0,0,1"));
  const inShade = await brightness(page, spot);
  const beside = await brightness(page, [spot[0] - 0.6, spot[1] - 0.6, 0]);
  assert.ok(inShade < 0.88 * beside, `${inShade} in the shade, ${beside} beside it`);
  await page.evaluate(() => talus.options.set("shadows", "off"));
  assert.ok(Math.abs((await brightness(page, spot)) - beside) < 0.06 * beside);
  assert.ok(lit > 0 && unlit === null);
  assert.deepEqual(complaints, []);
});

// Planes are as large as what they hold, and hidden like other walls.
test("a box of planes", async (t) => {
  const {page} = await openRecord(t, folder.path, boxRecord);
  await show(page, 0);
  const corners = await page.evaluate(() => talus.view.bodies.planes.meshes.map(({geometry}) => {
    const p = geometry.getAttribute("position");
    return Array.from({length: p.count}, (_, i) => Math.hypot(p.getX(i), p.getY(i)));
  }));
  assert.ok(Math.max(...corners[0]) < 0.6 * Math.SQRT1_2 + 1e-3, "the floor ends at the four walls");
  assert.ok(Math.max(...corners.flat()) < 3, "and the walls where the balls have been");
  const solid = await pixels(page);
  await page.keyboard.press("g");
  await page.keyboard.press("g");
  assert.equal(await page.evaluate(() => talus.options.get("walls")), "hidden");
  const hidden = await pixels(page);
  assert.notEqual(hidden.hash, solid.hash);
  assert.ok(hidden.most > solid.most, "more of the picture is background");
  assert.deepEqual(await page.evaluate(() => talus.view.bodies.planes.meshes.map(({visible}) => visible)), [false, false, false, false, false]);
});

// F fills the picture with what is there now, not with all that has been.
test("fit", async (t) => {
  const {page} = await openRecord(t, folder.path, boxRecord);
  const last = await page.evaluate(() => talus.recording.frameCount - 1);
  await show(page, last);
  const height = () => page.evaluate(() => {
    const {view, recording} = talus;
    const ys = [];
    for (let body = 0; body < recording.bodyCount; ++body)
      if (recording.kind[body] === 0) ys.push(view.project(view.textures.position(body))[1]);
    return (Math.max(...ys) - Math.min(...ys)) / view.renderer.domElement.clientHeight;
  });
  const before = await height();
  await page.keyboard.press("f");
  const after = await height();
  assert.ok(after > 1.5 * before && after < 1, `${before} before, ${after} after`);
});

// Names hide and isolate; the link keeps that, and what is selected.
test("hide and isolate", async (t) => {
  const {page, server} = await openRecord(t, folder.path, boxRecord);
  const shownBodies = () => page.evaluate(() => [...talus.view.textures.hidden].map((is, body) => (is ? "" : talus.recording.bodyName(body))).filter((name) => name !== ""));
  await page.evaluate(() => talus.selectThing(talus.recording.findBody("balls[3]"), -1));
  await page.keyboard.press("i");
  assert.ok(!(await shownBodies()).includes("balls[3]"));
  await page.keyboard.press("i");
  assert.equal((await shownBodies()).length, 13);
  await page.keyboard.press("u");
  assert.deepEqual(await shownBodies(), ["balls[3]"]);
  const words = await page.evaluate(() => String(talus.linkWords()));
  const other = await open(t, `${server.address}#${words}`);
  await shown(other.page);
  await other.page.waitForFunction(() => talus.inspector.body === talus.recording.findBody("balls[3]"));
  assert.equal(await other.page.evaluate(() => [...talus.view.textures.hidden].filter((is) => is).length), 12);
  await page.locator("summary", {hasText: "Camera"}).click();
  await page.locator("input[name=only]").fill("balls, back");
  await page.locator("input[name=only]").press("Enter");
  assert.equal((await shownBodies()).length, 9);
});

// A link that says a colour alone is a link.
test("a link by hand", async (t) => {
  const server = await serve(folder.path, pairRecord);
  t.after(() => server.stop());
  const {page} = await open(t, `${server.address}#colour=contacts&show=points&contact=2`);
  await shown(page);
  await page.waitForFunction(() => talus.colours.coloring === "contacts" && talus.inspector.contact === 2);
  assert.equal(await page.evaluate(() => talus.linkWords().get("contact")), "2");
});

// A body that is followed stays where it is in the picture; trails and velocities are drawn.
test("following, trails and velocities", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, pairRecord);
  await show(page, 5);
  await page.evaluate(() => {
    talus.selectThing(talus.recording.findBody("ball"), -1);
    talus.options.set("follow", true);
  });
  const before = await whereIs(page, "ball");
  await show(page, 60);
  const now = await whereIs(page, "ball");
  assert.ok(Math.hypot(now.x - before.x, now.y - before.y) < 1, JSON.stringify([before, now]));
  let last = await pixels(page);
  for (const name of ["trails", "velocities"]) {
    await page.evaluate((what) => talus.options.set(what, true), name);
    await page.waitForFunction(() => !talus.view.trails.lines.visible || talus.view.trails.lines.geometry.drawRange.count > 50);
    await show(page, 60);
    const next = await pixels(page);
    assert.notEqual(next.hash, last.hash, name);
    last = next;
  }
  assert.deepEqual(complaints, []);
});

// What lies before the cut is gone, and what is cut is closed; both projections show the same place.
test("cut and projection", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, pairRecord);
  await show(page, 100);
  const pick = () => page.evaluate(() => {
    const [x, y] = talus.view.project(talus.view.textures.position(talus.recording.findBody("crate")));
    return talus.view.pick(x, y).body;
  });
  const crate = await page.evaluate(() => talus.recording.findBody("crate"));
  assert.equal(await pick(), crate);
  await page.evaluate(() => talus.view.setCut(0, 0.1));
  assert.notEqual(await pick(), crate);
  await page.evaluate(() => talus.view.setCut(-1, 0));
  const places = () => page.evaluate(() => {
    const {view} = talus;
    const beside = view.controls.target.clone().addScaledVector(view.up.clone().setFromMatrixColumn(view.camera.matrixWorld, 1), 0.1);
    return [...view.project(view.controls.target), ...view.project(beside)];
  });
  const before = await places();
  await page.keyboard.press("o");
  assert.ok(await page.evaluate(() => talus.view.camera.isOrthographicCamera === true));
  (await places()).forEach((x, i) => assert.ok(Math.abs(x - before[i]) < 2, "what one looks at has its place and its size"));
  assert.equal(await pick(), crate);
  assert.deepEqual(complaints, []);
});

// The certificate of a step: which residual decides, how near it is to what is allowed, and where.
test("certificate", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  await show(page, 100);
  await page.waitForSelector(".certificate .decides");  // the numbers of steps come behind the frames
  const {text, deciding, row} = await page.evaluate(() => {
    const frame = talus.player.frame;
    return {text: document.querySelector(".certificate").innerText, deciding: document.querySelector(".certificate .decides th")?.innerText,
            row: talus.recording.stepRow(frame)};
  });
  assert.match(text, /certified/);
  const facts = JSON.parse(talus(folder.path, "info", "--json", pairRecord));
  assert.ok(facts.steps > 0);
  const lines = talus(folder.path, "export", pairRecord, "--series", "certificates").trim().split("\n").map((line) => line.split(","));
  const at = (name) => Number(lines[row + 1][lines[0].findIndex((head) => head.startsWith(name))]);
  const over = {"natural map": at("natural_map") / 1e-6, "equation of motion": at("equation_of_motion") / 1e-6, violation: at("violation") / 1e-3, work: at("work")};
  const worst = Object.keys(over).filter((name) => !Number.isNaN(over[name])).reduce((a, b) => (over[b] > over[a] ? b : a));
  assert.equal(deciding, worst);
  assert.match(text, new RegExp(`${deciding} decides`));
});

// A picture to a file has legend, time and a scale bar, unless it shall be plain.
test("annotations", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  await page.evaluate(() => talus.options.set("colour", "speed"));
  await show(page, 50);
  const inks = await page.evaluate(() => [false, true].map((isPlain) => {
    const canvas = talus.picture(isPlain);
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    // Dark pixels at the upper left, where the time is, and at the lower right, where the scale is.
    const dark = (x0, y0, x1, y1) => {
      let count = 0;
      for (let y = y0; y < y1; ++y)
        for (let x = x0; x < x1; ++x) if (data[4 * (y * canvas.width + x)] < 90) ++count;
      return count;
    };
    return [dark(0, 0, 160, 40), dark(canvas.width - 200, canvas.height - 60, canvas.width, canvas.height)];
  }));
  assert.ok(inks[0][0] > 20 && inks[0][1] > 20, JSON.stringify(inks));
  assert.ok(inks[1][0] === 0, JSON.stringify(inks));
});

// Forces have a scale in newtons, on the page and in pictures: the crate's weight of 185 N on four corners lies on it. Arrows twice as
// long reach the last colour with half of the force.
test("legend of forces", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  const top = async () => {
    const text = await page.locator(".legend").innerText();
    assert.match(text, /Force of a contact/);
    return Number(/([\d.e]+) N/.exec(text)[1]);
  };
  assert.doesNotMatch(await page.locator(".legend").innerText(), /Force/);
  await page.evaluate(() => talus.options.set("forces", true));
  await show(page, 100);
  const newtons = await top();
  assert.ok(newtons > 185 / 4 && newtons < 4 * 185, `${newtons} N`);
  assert.deepEqual(await page.evaluate(() => talus.pictures.legends.map(({title}) => title)), ["Colour: body", "Force of a contact"]);
  await page.getByLabel("Size of forces").evaluate((slider) => {
    slider.value = "1";
    slider.dispatchEvent(new Event("input"));
  });
  assert.ok(Math.abs((await top()) / newtons - 0.5) < 0.01);
});

// Two records side by side have the same time and camera.
test("side by side", async (t) => {
  record(folder.path, "slow", pair().replace("velocity: [0.5, 0, 0]", "velocity: [0.1, 0, 0]"));
  const server = await serve(folder.path, "pair.h5", "slow.h5");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await page.waitForFunction(() => frames.length === 2 && [0, 1].every((i) => frames[i].talus?.root.classList.contains("side-by-side")));
  const names = await page.evaluate(() => [0, 1].map((i) => frames[i].talus.recording.header.file));
  assert.deepEqual(names, ["pair.h5", "slow.h5"]);
  await page.evaluate(() => frames[0].talus.player.jump(40));
  await page.waitForFunction(() => frames[1].talus.player.frame === 40);
  await page.evaluate(() => frames[1].talus.view.look("side"));
  await page.waitForFunction(() => frames[0].talus.view.cameraText() === frames[1].talus.view.cameraText());
  assert.deepEqual(complaints, []);
});

// A film of what plays can be saved.
test("film", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord, {width: 500, height: 300});
  await page.evaluate(() => { talus.player.speed = 0.4; });
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-do=film]").click()]);
  assert.match(download.suggestedFilename(), /^pair_.*\.(webm|mp4)$/);
});

// A record that is written anew is shown, with camera and time as they were.
test("written anew", async (t) => {
  writeFileSync(join(folder.path, "edit.yaml"), pair());
  talus(folder.path, "run", "edit.yaml", "--quiet");
  const {page} = await openRecord(t, folder.path, "edit.h5");
  await page.evaluate(() => {
    talus.view.look("side");
    talus.view.focus(talus.view.textures.position(2), 0.7);
  });
  await show(page, 33);
  const camera = await page.evaluate(() => talus.view.cameraText());
  writeFileSync(join(folder.path, "edit.yaml"), pair().replace("[-0.4, 0, 0.5]", "[-0.4, 0, 1.5]"));
  talus(folder.path, "run", "edit.yaml", "--quiet");
  await page.waitForFunction(() => window.talus?.player.current != null && talus.player.frame === 33 && talus.recording.shapes !== undefined &&
    talus.view.textures.position(1).z > 1);
  assert.equal(await page.evaluate(() => talus.view.cameraText()), camera);
});
