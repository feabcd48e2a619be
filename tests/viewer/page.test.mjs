import {readFileSync, renameSync, writeFileSync} from "node:fs";
import {availableParallelism, loadavg} from "node:os";
import {join} from "node:path";
import {after, test} from "node:test";
import {assert, bed, makeFolder, open, openRecord, pair, pixels, record, repository, serve, show, shown, table, talus, whereIs} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);
const pairRecord = record(folder.path, "pair", pair());

/** Seconds from the navigation to the first picture, as the graphics processor has it. */
async function firstPicture(page) {
  await page.reload();
  await shown(page);
  return page.evaluate(() => {
    const gl = talus.view.renderer.getContext();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    return performance.now() / 1000;
  });
}

// A bed of ten thousand balls is seen, without a word on the console, as often as it is loaded; after how long is printed.
test("first frame", async (t) => {
  const file = record(folder.path, "bed", bed([20, 20, 25]));
  const {page, complaints} = await openRecord(t, folder.path, file);
  const [load] = loadavg();
  const seconds = [];
  while (seconds.length < 7) seconds.push(await firstPicture(page));
  t.diagnostic(`first frame after ${seconds.map((s) => s.toFixed(2)).join(", ")} s; load ${load.toFixed(1)} of ${availableParallelism()}`);
  const {colours, most} = await pixels(page);
  assert.ok(colours > 500 && most < 0.6, `the picture is blank: ${colours} colours, ${most} of one`);
  assert.deepEqual(complaints, []);
});

// A frame of a hundred thousand balls is little work for the page: a triangle per ball in a few calls, and a tenth of what
// 30 frames a second leave it.
test("a hundred thousand balls", async (t) => {
  const file = record(folder.path, "many", bed([50, 50, 40], "6 ms"));
  const {page, complaints} = await openRecord(t, folder.path, file, {width: 500, height: 300});
  const {milliseconds, calls, triangles, bytes, frames} = await page.evaluate(async () => {
    const {player, recording, view} = talus;
    const all = [];
    for (let k = 0; k < recording.frameCount; ++k) {
      await player.show(k);
      all.push(player.current);
    }
    view.drawNow();
    const {calls, triangles} = view.renderer.info.render;
    view.renderer.render = () => undefined;  // the graphics processor's part is not ours, and there is none here
    const milliseconds = [];
    for (let i = 0; i < 40; ++i) {
      const start = performance.now();
      player.onFrame(all[i % all.length]);
      view.drawNow();
      milliseconds.push(performance.now() - start);
    }
    return {milliseconds: milliseconds.sort((a, b) => a - b), calls, triangles, bytes: recording.bytesFetched, frames: all.length};
  });
  t.diagnostic(`${milliseconds[20].toFixed(2)} ms, worst ${milliseconds[39].toFixed(2)}; ${calls} calls, ${triangles} triangles`);
  assert.ok(milliseconds[10] < 3.3, `a frame takes ${milliseconds[10]} ms`);  // the quicker quarter: others may be at work
  assert.ok(calls <= 4, `${calls} calls`);
  assert.equal(triangles, 100_000 + 4);  // the floor's
  assert.equal(bytes, frames * 100_001 * 28);  // position and orientation in single precision
  assert.deepEqual(complaints, []);
});

// Only the frames that are looked at are fetched.
test("frames on demand", async (t) => {
  const rising = bed([10, 10, 10], "2000 ms").replace("velocity: [0, 0, -0.5]", "velocity: [0, 0, 0.1]") + "gravity: [0, 0, 0]\n";
  const {page} = await openRecord(t, folder.path, record(folder.path, "long", rising));
  const {fetched, all} = await page.evaluate(() => ({
    fetched: talus.recording.bytesFetched,
    all: 4 * 7 * talus.recording.bodyCount * talus.recording.frameCount,
  }));
  assert.ok(fetched < 0.35 * all, `${fetched} of ${all} bytes`);
});

// Another frame is another picture, and back again the same one: with the slider, the keys and the buttons.
test("scrubbing and keys", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, pairRecord);
  const frame = () => page.evaluate(() => talus.player.frame);
  const first = await pixels(page);
  await page.locator(".time input[type=range]").fill("60");
  await page.waitForFunction(() => talus.player.frame === 60);
  const later = await pixels(page);
  assert.notEqual(later.hash, first.hash);
  await page.locator(".scene canvas").focus();
  for (const [key, expected] of [["Home", 0], ["ArrowRight", 1], ["Shift+ArrowRight", 11], ["ArrowLeft", 10], ["End", 100]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((k) => talus.player.frame === k, expected);
  }
  await page.keyboard.press("Home");
  await page.waitForFunction(() => talus.player.frame === 0);
  assert.equal((await pixels(page)).hash, first.hash);
  await page.keyboard.press("Space");
  await page.waitForFunction(() => talus.player.frame > 3);
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => talus.player.isPlaying), false);
  await page.keyboard.press("+");
  assert.equal(await page.evaluate(() => talus.player.speed), 2);
  await page.locator("[data-do=last]").click();
  await page.waitForFunction(() => talus.player.frame === 100);
  await page.keyboard.press("c");
  assert.equal(await page.evaluate(() => talus.colours.coloring), "speed");
  await page.keyboard.press("?");
  assert.ok(await page.locator("dialog").isVisible());
  await page.keyboard.press("Escape");
  assert.equal(await frame(), 100);
  assert.deepEqual(complaints, []);
});

// A click selects what is under the pointer and tells its numbers; a click beside it does not.
test("selection", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  await show(page, 30);
  for (const name of ["ball", "crate"]) {
    const {x, y} = await whereIs(page, name);
    await page.mouse.click(x, y);
    await page.locator(".inspector h3", {hasText: name}).waitFor();
  }
  const row = table(talus(folder.path, "export", pairRecord, "--body", "crate"))[30];
  const text = await page.locator(".inspector table").innerText();
  const place = /position\s+\((.*), (.*), (.*)\) m/.exec(text);
  for (const [k, axis] of ["x", "y", "z"].entries())
    assert.ok(Math.abs(Number(place[k + 1]) - row[`position_${axis} [m]`]) < 1e-4, text);
  assert.match(text, new RegExp(`mass\\s+${(0.3 ** 3 * 700).toPrecision(4).replace(/0+$/, "")} kg`));
  // It stands on the floor: what carries it is its weight.
  const force = /contact force\s+\((.*), (.*), (.*)\) N/.exec(text);
  assert.ok(Math.abs(Number(force[3]) - 0.3 ** 3 * 700 * 9.81) < 0.01, text);
  await page.keyboard.press("Escape");
  await page.locator(".inspector", {hasText: "Click a body"}).waitFor();
  // Also while another frame is on its way, the numbers that are missing are fetched.
  await page.evaluate(() => {
    void talus.player.show(31);
    talus.selectThing(1, -1);
  });
  await page.locator(".inspector table", {hasText: "angular velocity"}).waitFor();
});

// A contact can be clicked too: bodies, forces, and whether it sticks.
test("contacts", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, pairRecord);
  await show(page, 20);
  const plain = await pixels(page);
  let previous = plain;
  for (const layer of ["points", "normals", "forces", "chains", "cones"]) {
    await page.locator(`input[name=${layer}]`).check();
    await show(page, 20);
    const now = await pixels(page);
    assert.notEqual(now.hash, previous.hash, layer);
    previous = now;
  }
  for (const layer of ["normals", "forces", "chains", "cones"]) await page.locator(`input[name=${layer}]`).uncheck();
  const {x, y, count} = await page.evaluate(async () => {
    const {position, count} = await talus.recording.contacts(20);
    talus.view.look("front");
    talus.view.drawNow();
    let nearest = 0;  // to the eye, which looks along y
    for (let i = 1; i < count; ++i) if (position[3 * i + 1] < position[3 * nearest + 1]) nearest = i;
    const p = talus.view.extent.center.clone().fromArray(position, 3 * nearest);
    const box = talus.view.renderer.domElement.getBoundingClientRect();
    const [px, py] = talus.view.project(p);
    return {x: box.x + px, y: box.y + py, count};
  });
  assert.ok(count >= 4);
  await page.mouse.click(x, y);
  await page.locator(".inspector h3", {hasText: "Contact"}).waitFor();
  const text = await page.locator(".inspector table").innerText();
  assert.match(text, /body A\s+floor/);
  assert.match(text, /body B\s+crate/);
  assert.match(text, /state\s+sticks/);
  assert.deepEqual(complaints, []);
});

// The plots show the recorded numbers, and the legend those of the time that is shown.
test("plots", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  await page.waitForFunction(() => talus.plots.table("energy").length === 3);
  const rows = table(talus(folder.path, "export", pairRecord, "--series", "energies"));
  const plotted = await page.evaluate(() => talus.plots.table("energy").map(({name, time, value}) =>
    ({name, time: [...time], value: [...value]})));
  assert.deepEqual(plotted[0].time, rows.map((row) => row["time [s]"]));
  assert.deepEqual(plotted[2].value, rows.map((row) => row["total [J]"]));
  await show(page, 50);
  const value = await page.locator("[data-plot=energy] [data-series='energies/kinetic']").getAttribute("data-value");
  assert.equal(Number(value), rows[50 * 4 - 1]["kinetic [J]"]);
  // A click in a plot goes to that time.
  await page.locator("[data-plot=energy] .u-over").scrollIntoViewIfNeeded();
  const box = await page.locator("[data-plot=energy] .u-over").boundingBox();
  await page.mouse.click(box.x + 0.25 * box.width, box.y + 0.5 * box.height);
  await page.waitForFunction(() => Math.abs(talus.player.time - 0.1) < 0.01);
  await page.locator("select[name=add-plot]").selectOption("solver/iterations");
  await page.waitForFunction(() => talus.plots.table("solver/iterations").length === 1);
});

// Colours by speed, material, contact count and certificate are different pictures with a legend.
test("colours", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  await show(page, 40);
  const seen = new Set([(await pixels(page)).hash]);
  for (const name of ["speed", "material", "contacts", "certificate"]) {
    await page.locator("select[name=colour]").selectOption(name);
    await show(page, 40);
    seen.add((await pixels(page)).hash);
    assert.notEqual(await page.locator(".legend").innerText(), "");
  }
  assert.equal(seen.size, 5);
});

// The worst contact of the worst step is one click away.
test("worst contact", async (t) => {
  const file = record(folder.path, "worst", pair().replace("every: 4", "every: 1"));
  const {page} = await openRecord(t, folder.path, file);
  await page.locator("[data-do=worst]").click();
  await page.locator(".toast", {hasText: "Worst step"}).waitFor();
  const rows = table(talus(folder.path, "export", file, "--series", "certificates"));
  const worst = rows.reduce((best, row) => (row.natural_map > best.natural_map ? row : best));
  const {step, contact} = await page.evaluate(() => ({
    step: talus.recording.frameStep[talus.player.frame], contact: talus.inspector.contact}));
  assert.equal(step, worst.step);
  assert.equal(contact, worst.worst_contact);
});

// A link leads to the same time, camera and colours.
test("link", async (t) => {
  const {page, server} = await openRecord(t, folder.path, pairRecord);
  await page.evaluate(() => {
    talus.view.look("side");
    talus.view.focus(talus.view.textures.position(2), 0.7);  // another target than that of the whole scene
  });
  await page.locator("select[name=colour]").selectOption("speed");
  await show(page, 33);
  const words = await page.evaluate(() => String(talus.linkWords()));
  const camera = await page.evaluate(() => talus.view.cameraText());
  const other = await open(t, `${server.address}#${words}`);
  await shown(other.page);
  await other.page.waitForFunction(() => talus.player.frame === 33 && talus.colours.coloring === "speed");
  assert.equal(await other.page.evaluate(() => talus.view.cameraText()), camera);
  await page.evaluate((link) => talus.followLink(link), words);
  for (const one of [page, other.page]) await show(one, 33);
  assert.equal((await pixels(other.page)).hash, (await pixels(page)).hash);
});

// Planar scenes are seen from the front and are not turned.
test("planar", async (t) => {
  const rod = join(repository, "papers/stewart_trinkle_1996/rod.yaml");
  talus(folder.path, "run", rod, "-o", "rod.h5", "--quiet", "--until", "0.1");
  const {page, complaints} = await openRecord(t, folder.path, "rod.h5");
  const {isFront, canTurn} = await page.evaluate(() => {
    const {camera, controls} = talus.view;
    return {isFront: camera.isOrthographicCamera && camera.position.clone().sub(controls.target).normalize().z > 0.999,
            canTurn: controls.enableRotate};
  });
  assert.ok(isFront);
  assert.equal(canTurn, false);
  assert.ok((await pixels(page)).colours > 10);
  assert.deepEqual(complaints, []);
});

// Every shape is drawn, and picked where it is.
test("all shapes", async (t) => {
  const scene = `
title: Shapes
time: {step: 1 ms, end: 2 ms}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: sphere, shape: {sphere: 0.2}, mass: 1, position: [0, 0, 0.5]}
  - {name: box, shape: {box: [0.3, 0.3, 0.3]}, mass: 1, position: [0.6, 0, 0.5]}
  - {name: capsule, shape: {capsule: {radius: 0.1, length: 0.3}}, mass: 1, position: [1.2, 0, 0.5]}
  - {name: cylinder, shape: {cylinder: {radius: 0.15, length: 0.3}}, mass: 1, position: [1.8, 0, 0.5]}
  - {name: hull, shape: {hull: {points: [[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4]]}}, mass: 1, position: [2.4, 0, 0.5]}
  - {name: clump, mass: 1, position: [3, 0, 0.5], shape: {clump: [{sphere: 0.15}, {sphere: 0.1, position: [0.2, 0, 0]}]}}
`;
  const {page, complaints} = await openRecord(t, folder.path, record(folder.path, "shapes", scene));
  for (const name of ["sphere", "box", "capsule", "cylinder", "hull", "clump"]) {
    const {x, y} = await whereIs(page, name);
    await page.mouse.click(x, y);
    await page.locator(".inspector h3", {hasText: name}).waitFor();
  }
  assert.deepEqual(complaints, []);
});

// At the width of a phone nothing sticks out, and the controls can be reached.
test("phone", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord, {width: 390, height: 780, hasTouch: true, isMobile: true});
  const width = await page.evaluate(() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth));
  assert.ok(width <= 390, `${width} pixels wide`);
  const play = await page.locator("[data-do=play]").boundingBox();
  assert.ok(play.y + play.height <= 780 && play.height >= 34);
  await page.locator("[data-do=panel]").tap();
  assert.ok(await page.locator("select[name=colour]").isVisible());
  assert.ok((await page.locator(".scene").boundingBox()).height > 150);
});

// Dark and light are two pictures, and what was chosen stays.
test("dark and light", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord, {colorScheme: "light"});
  const light = await pixels(page);
  await page.keyboard.press("d");
  assert.notEqual((await pixels(page)).hash, light.hash);
  await page.reload();
  await shown(page);
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
});

// The picture can be saved.
test("screenshot", async (t) => {
  const {page} = await openRecord(t, folder.path, pairRecord);
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("[data-do=picture]").click()]);
  const bytes = readFileSync(await download.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.match(download.suggestedFilename(), /^pair_.*\.png$/);
});

// An exported page opens from the disk, asks nobody for anything, and shows the same picture and numbers.
test("export", async (t) => {
  const file = record(folder.path, "fine", pair().replace("every: 4", "every: 1"));  // more frames than are fetched at once
  talus(folder.path, "view", file, "--export", "fine.html");
  const served = await openRecord(t, folder.path, file);
  const {page, complaints, requests} = await open(t, `file://${folder.path}/fine.html`);
  await shown(page);
  for (const one of [page, served.page]) await show(one, 342);
  assert.deepEqual(await pixels(page), await pixels(served.page));
  await page.waitForFunction(() => talus.plots.table("energy").length === 3);
  await page.evaluate(() => talus.selectThing(1, -1));
  await page.locator("[data-do=plot-body]").click();
  await page.waitForFunction(() => talus.plots.table("body.ball").length === 3);
  assert.deepEqual(requests.filter((address) => !/^(file|data|blob):/.test(address)), []);
  assert.deepEqual(complaints, []);
});

// A record that has been damaged or replaced is said in the page, in words.
test("a damaged record", async (t) => {
  const file = join(folder.path, "damaged.h5");
  const whole = readFileSync(join(folder.path, pairRecord));
  writeFileSync(file, whole);
  const server = await serve(folder.path, "damaged.h5");
  t.after(() => server.stop());
  for (const [bytes, words] of [[whole.subarray(0, whole.length / 2), "damaged or cut off"], [Buffer.from("no record"), "damaged.h5"]]) {
    writeFileSync(`${file}.new`, bytes);
    renameSync(`${file}.new`, file);
    const {page} = await open(t, server.address);
    const message = page.locator(".message");
    await message.waitFor();
    assert.ok((await message.innerText()).includes(words), await message.innerText());
  }
});
