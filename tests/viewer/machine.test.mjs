import {join} from "node:path";
import {after, test} from "node:test";
import {assert, makeFolder, open, openRecord, pixels, record, repository, show, shown, table, talus} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);
const crank = "crank.h5";
talus(folder.path, "run", join(repository, "examples/slider_crank"), "-o", crank, "--quiet", "--until", "0.1");
const series = (name) => table(talus(folder.path, "export", crank, "--series", name));
/** Row of the step that ended at a frame: every fourth is recorded. */
const rowOf = (frame) => 4 * frame - 1;
const near = (text, value) => assert.ok(Math.abs(Number(text) - value) <= 1e-3 * Math.abs(value), `${text} is not ${value}`);

/** How many pixels of a colour there are, and where their middle is. */
const spot = (page, [r, g, b]) => page.evaluate(([red, green, blue]) => {
  const canvas = talus.view.renderer.domElement;
  talus.view.drawNow();
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  let [count, x, y] = [0, 0, 0];
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 8) {
      ++count;
      x += (i / 4) % canvas.width;
      y += Math.floor(i / 4 / canvas.width);
    }
  return {count, x: x / count, y: y / count};
}, [r, g, b]);
const kReaction = [128, 51, 184];
const kDrive = [0, 128, 128];

// Joints are drawn where they hold their bodies, and are left out when they are not wanted.
test("joints are drawn", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, crank);
  await show(page, 10);
  const shown = await pixels(page);
  await page.locator("input[name=joints]").uncheck();
  assert.notEqual((await pixels(page)).hash, shown.hash);
  assert.deepEqual(await page.evaluate(() => talus.recording.joints.name), ["bearing", "crank pin", "wrist", "guide"]);
  assert.deepEqual(complaints, []);
});

// Reactions are arrows from the joint along the recorded force, longer for a larger one; torques are bent and turn as they do.
test("joint forces are arrows", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, crank);
  await show(page, 4);
  assert.equal((await spot(page, kReaction)).count, 0);
  assert.equal((await spot(page, kDrive)).count, 0);
  await page.keyboard.press("t");
  const [all, drive] = [await spot(page, kReaction), await spot(page, kDrive)];
  assert.ok(all.count > 200 && drive.count > 200, `${all.count} pixels of reactions, ${drive.count} of the drive`);
  // One force at a time, of a known direction, at the bearing.
  const at = async (force, effort) => page.evaluate(([x, y, m]) => {
    const {joints} = talus.view;
    talus.recording.reactionScale.force = 10;
    talus.recording.reactionScale.moment = 1;
    joints.set({force: new Float32Array([x, y, ...Array(10).fill(0)]), moment: new Float32Array(12), friction: new Float32Array(4),
                effort: new Float32Array([m]), axes: new Map()});
    return talus.view.project(joints.position(0)).map((value) => value * devicePixelRatio);
  }, [...force, effort]);
  for (const force of [[10, 0], [0, 10], [-6, -8]]) {
    const [x, y] = await at(force, 0);
    const middle = await spot(page, kReaction);
    const [dx, dy] = [middle.x - x, -(middle.y - y)];
    const size = Math.hypot(dx, dy);
    assert.ok((dx * force[0] + dy * force[1]) / (10 * size) > 0.98, `force ${force} is drawn along ${dx}, ${dy}`);
  }
  await at([0, 10], 0);
  const one = await spot(page, kReaction);
  await at([0, 20], 0);
  assert.ok((await spot(page, kReaction)).count > 1.5 * one.count, "twice the force is not a larger arrow");
  // Three quarters of a circle from the x axis: its middle is up left when it turns to the left, down left otherwise.
  for (const effort of [1, -1]) {
    const [x, y] = await at([0, 0], effort);
    const bent = await spot(page, kDrive);
    assert.ok(bent.count > 100 && bent.x < x && (y - bent.y) * effort > 0, `torque ${effort}: ${JSON.stringify([bent, x, y])}`);
  }
  // What is not known is not drawn.
  await at([NaN, NaN], NaN);
  assert.equal((await spot(page, kReaction)).count + (await spot(page, kDrive)).count, 0);
  assert.deepEqual(complaints, []);
});

// The table follows the timeline with the recorded numbers; a click on a joint tells its forces.
test("numbers of joints and drives", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, crank);
  const [reactions, drives] = [series("reactions"), series("drives")];
  for (const frame of [10, 33]) {
    await show(page, frame);
    const row = reactions[rowOf(frame)];
    const numbers = (await page.locator(".machine [data-force=bearing]").allInnerTexts()).map((text) => text.split(" ")[0]);
    near(numbers[0], Math.hypot(row["bearing/force_x [N]"], row["bearing/force_y [N]"]));
    near((await page.locator(".machine [data-force=motor]").innerText()).split(" ")[0], drives[rowOf(frame)]["motor/effort [N m]"]);
  }
  const place = await page.evaluate(() => {
    const [x, y] = talus.view.project(talus.view.joints.position(0));
    const box = talus.view.renderer.domElement.getBoundingClientRect();
    return {x: box.x + x, y: box.y + y};
  });
  await page.mouse.click(place.x, place.y);
  await page.locator(".inspector h3", {hasText: /^bearing$/}).waitFor();
  const text = await page.locator(".inspector").first().innerText();
  const row = reactions[rowOf(33)];
  const [, x, y] = /force on B\s+\((\S+), (\S+)\) N/.exec(text);
  near(x, row["bearing/force_x [N]"]);
  near(y, row["bearing/force_y [N]"]);
  assert.match(text, /body A\s+ground/);
  assert.match(text, /body B\s+crank/);
  await page.locator("[data-do=plot-joint]").click();
  await page.waitForFunction(() => talus.plots.table("reactions/bearing/force").length === 2);
  const plotted = await page.evaluate(() => [...talus.plots.table("reactions/bearing/force")[1].value]);
  assert.deepEqual(plotted, reactions.map((one) => one["bearing/force_y [N]"]));
  // A drive's torque is plotted from the start; a link keeps what is selected and shown.
  assert.deepEqual(await page.evaluate(() => [...talus.plots.table("drives")[0].value]), drives.map((one) => one["motor/effort [N m]"]));
  const words = new URLSearchParams(await page.evaluate(() => String(talus.linkWords())));
  assert.equal(words.get("joint"), "bearing");
  assert.deepEqual(complaints, []);
});

const kinds = record(folder.path, "kinds", `
title: Joints of every kind
time: {step: 2 ms, end: 0.2}
scheme: moreau_midpoint
record: {every: 4}
bodies:
  - {name: arm, mass: 1, shape: {box: [0.5, 0.1, 0.1]}, position: [0.25, 0, 1]}
  - {name: block, mass: 1, shape: {box: [0.2, 0.2, 0.2]}, position: [1, 0, 1]}
  - {name: bob, mass: 1, shape: {sphere: 8 cm}, position: [1.6, 0, 0.7]}
  - {name: cross, mass: 1, shape: {box: [0.1, 0.1, 0.5]}, position: [2, 0, 0.75]}
  - {name: load, mass: 1, shape: {sphere: 8 cm}, position: [0.5, 0, 0.6]}
  - {name: sleeve, mass: 1, shape: {cylinder: {radius: 6 cm, length: 0.2}}, position: [2.5, 0, 1]}
  - {name: hanger, mass: 1, shape: {sphere: 8 cm}, position: [3, 0, 0.6]}
  - {name: plate, mass: 1, shape: {box: [0.2, 0.2, 0.05]}, position: [3.5, 0, 1]}
joints:
  - {name: elbow, between: arm, revolute: {at: [0, 0, 1], axis: [0, 1, 0]}, turn: {limits: [-60 deg, 30 deg], motor: {velocity: 0.5, max_effort: 3 N m}}}
  - {name: rail, between: block, prismatic: {at: [1, 0, 1], axis: [0, 0, 1]}, slide: {limits: [-0.1, 0.3]}}
  - {name: socket, between: bob, ball: {at: [1.6, 0, 1]}}
  - {name: hooke, between: cross, universal: {at: [2, 0, 1], axis: [0, 1, 0], second_axis: [1, 0, 0]}}
  - {name: cord, between: [arm, load], rope: {from: [0.5, 0, 1], to: [0.5, 0, 0.6], length: 0.6}}
  - {name: tube, between: sleeve, cylindrical: {at: [2.5, 0, 1], axis: [0, 0, 1]}}
  - {name: rod, between: hanger, distance: {from: [3, 0, 1], to: [3, 0, 0.6]}}
  - {name: weld, between: plate, weld: {at: [3.5, 0, 1]}}
drives: [{name: turner, joint: tube, coordinate: turn, angular_speed: 3}]
`);

// Joints in space have a glyph each, which moves with its bodies: without it its place looks different; a click on it tells its
// numbers, the pointer near it its name, and the panel how well they hold.
test("joints in space", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, kinds);
  await show(page, 20);
  const joints = await page.evaluate(() => talus.recording.joints.name);
  const picture = (x, y) => page.evaluate(([left, top]) => {
    const canvas = talus.view.renderer.domElement;
    talus.view.drawNow();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [16, 16];
    const context = copy.getContext("2d");
    context.drawImage(canvas, left * devicePixelRatio - 8, top * devicePixelRatio - 8, 16, 16, 0, 0, 16, 16);
    return [...context.getImageData(0, 0, 16, 16).data].join();
  }, [x, y]);
  const places = await page.evaluate(() => talus.recording.joints.name.map((_, i) => talus.view.project(talus.view.joints.position(i))));
  const drawn = [];
  for (const [x, y] of places) drawn.push(await picture(x, y));
  await page.locator("input[name=joints]").uncheck();
  for (const [i, [x, y]] of places.entries()) assert.notEqual(await picture(x, y), drawn[i], joints[i]);
  await page.locator("input[name=joints]").check();

  const box = await page.evaluate(() => {
    const {x, y} = talus.view.renderer.domElement.getBoundingClientRect();
    return [x, y];
  });
  await page.mouse.move(box[0] + places[0][0], box[1] + places[0][1]);
  await page.waitForFunction(() => talus.view.renderer.domElement.title === "elbow");
  await page.mouse.click(box[0] + places[0][0], box[1] + places[0][1]);
  await page.locator(".inspector h3", {hasText: /^elbow$/}).waitFor();
  const text = await page.locator(".inspector").first().innerText();
  const numbers = (name) => table(talus(folder.path, "export", kinds, "--series", name))[rowOf(20)];
  const angle = /angle\s+(\S+) rad/.exec(text)[1];
  near(angle, numbers("joint.elbow.angle")["elbow/angle [rad]"]);
  assert.match(text, /body A\s+the world/);
  const force = numbers("joint.elbow.force");
  const [, x, y, z] = /force on B\s+\((\S+), (\S+), (\S+)\) N/.exec(text);
  for (const [axis, value] of Object.entries({x, y, z})) assert.ok(Math.abs(Number(value) - force[`elbow/force_${axis} [N]`]) < 0.01, text);
  const certificate = await page.locator(".certificate").innerText();
  assert.match(certificate, /joint rate/);
  assert.match(certificate, /joint drift/);
  assert.match(certificate, /rank\s+29 of 29 constraints/);
  assert.deepEqual(complaints, []);
});

// Events are marks on the timeline and rows of a list: time, kind, bodies; a click on either goes there.
test("events", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, crank);
  const events = talus(folder.path, "export", crank, "--series", "events").trim().split("\n").slice(1).map((line) => line.split(","));
  const rows = page.locator(".event");
  assert.equal(await rows.count(), events.length);
  for (const index of [0, 3]) {
    const [, time, kind] = events[index];
    const text = await rows.nth(index).innerText();
    assert.ok(text.includes(kind) && text.includes("crank – rod"), text);
    near(text.split(" ")[0], Number(time));
    await rows.nth(index).click();
    // The first frame after it: every second millisecond there is one.
    const frame = Math.ceil(Number(time) / 2e-3);
    await page.waitForFunction((k) => talus.player.frame === k, frame);
    assert.match(await page.locator(".event-detail").innerText(), new RegExp(`event\\s+${index + 1} of ${events.length}: ${kind}`));
  }
  // Keys go from one to the next.
  await page.locator(".scene canvas").focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => talus.player.frame === 0);
  for (const [key, index] of [["e", 0], ["e", 1], ["Shift+E", 0]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((k) => talus.events.selected === k, index);
  }
  // A mark stands where the slider's button stands at that frame, in the kind's colour; a click on it goes there.
  const last = events.length - 1;
  const mark = await page.evaluate((index) => {
    const {marks} = talus.events;
    const frame = talus.events.frameOf(index);
    const x = 8 + (marks.clientWidth - 16) * frame / (talus.recording.frameCount - 1);
    const pixel = marks.getContext("2d").getImageData(Math.round(x) * devicePixelRatio, 3, 1, 1).data;
    return {x, frame, alpha: pixel[3]};
  }, last);
  assert.equal(mark.alpha, 255);
  await page.locator(".marks").click({position: {x: mark.x, y: 3}});
  await page.waitForFunction((k) => talus.player.frame === k, mark.frame);
  // One kind only.
  const kinds = events.map((event) => event[2]);
  await page.locator("select[name=event-kind]").selectOption({label: `touch (${kinds.filter((kind) => kind === "touch").length})`});
  assert.equal(await rows.count(), kinds.filter((kind) => kind === "touch").length);
  assert.deepEqual(complaints, []);
});

// The exported page has joints, drives and events as the served one.
test("export", async (t) => {
  talus(folder.path, "view", crank, "--export", "crank.html");
  const served = await openRecord(t, folder.path, crank);
  const {page, complaints} = await open(t, `file://${folder.path}/crank.html`);
  await shown(page);
  for (const one of [page, served.page]) {
    await one.locator("input[name=reactions]").check();
    await show(one, 20);
  }
  assert.deepEqual(await pixels(page), await pixels(served.page));
  for (const part of [".machine", ".events"])
    assert.equal(await page.locator(part).innerText(), await served.page.locator(part).innerText());
  assert.deepEqual(complaints, []);
});

// A record of bodies only has neither.
test("nothing of it without joints", async (t) => {
  talus(folder.path, "run", join(repository, "examples/01_bouncing_ball"), "-o", "ball.h5", "--quiet", "--until", "0.05");
  const {page} = await openRecord(t, folder.path, "ball.h5");
  for (const part of [".machine", ".events", "input[name=reactions]"]) assert.equal(await page.locator(part).count(), 0);
  assert.ok(await page.locator(".marks").isHidden());
});

// Machines with many joints of long names: all that is recorded of them does not fit into one address.
test("many joints", async (t) => {
  const name = (i) => `joint ${i} of a robot with many joints of long names`;
  const range = Array.from({length: 60}, (_, i) => i);
  const many = record(folder.path, "many", `
time: {step: 2 ms, end: 0.02}
bodies:
${range.map((i) => `  - {name: bob ${i}, mass: 1, shape: {sphere: 0.1}, position: [0.5, ${i}, 0]}`).join("\n")}
joints:
${range.map((i) => `  - {name: ${name(i)}, between: bob ${i}, revolute: {at: [0, ${i}, 0], axis: [0, 1, 0]}}`).join("\n")}
`);
  const {page, complaints} = await openRecord(t, folder.path, many);
  await show(page, 1);
  const force = table(talus(folder.path, "export", many, "--series", "reactions"))[0];
  const last = `${name(59)}/force`;
  near((await page.locator(`[data-force="${name(59)}"]`).first().innerText()).split(" ")[0],
       Math.hypot(...["x", "y", "z"].map((axis) => force[`${last}_${axis} [N]`])));
  assert.deepEqual(complaints, []);
});

// A joint with play holds by contacts: it has no constraints, and the certificate has no rate and no rank of them.
test("a joint with play", async (t) => {
  talus(folder.path, "run", join(repository, "examples/worn_bearing"), "-o", "worn.h5", "--quiet", "--until", "0.05");
  const {page, complaints} = await openRecord(t, folder.path, "worn.h5");
  await show(page, 4);
  await page.waitForFunction(() => !document.querySelector(".certificate").innerText.includes("comes with"));
  const certificate = await page.locator(".certificate").innerText();
  assert.match(certificate, /certified/);
  assert.doesNotMatch(certificate, /NaN|rank|joint rate/);
  assert.deepEqual(complaints, []);
});

// A curve that is 0 throughout lies in the middle of an axis that says 0, and not below numbers that were never reached.
test("a curve of zeros", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, record(folder.path, "alone", `
time: {step: 2 ms, end: 0.02}
bodies: [{name: ball, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 1]}]`));
  await page.waitForFunction(() => talus.plots.table("penetration").length === 1);
  assert.deepEqual(await page.evaluate(() => talus.plots.range("penetration")), [-1, 1]);
  assert.deepEqual(complaints, []);
});
