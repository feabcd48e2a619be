import {writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";
import {assert, bed, makeFolder, open, pair, pixels, serve, shown, talus} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);

// A scene is run and followed; looking back stops that, and Live takes it up again.
test("follows a run", async (t) => {
  writeFileSync(join(folder.path, "endless.yaml"), bed([5, 5, 5], "4000 s"));
  const server = await serve(folder.path, "endless.yaml");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await shown(page);
  assert.equal(await page.locator(".status").innerText(), "running");
  const early = await page.evaluate(() => talus.recording.frameCount);
  await page.waitForFunction((n) => talus.recording.frameCount > n && talus.player.frame > n, early);
  await page.locator(".scene canvas").focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => talus.player.frame === 0);
  const start = await pixels(page);
  await page.locator("[data-do=follow]").click();
  await page.waitForFunction((n) => talus.player.frame > n, early);
  assert.notEqual((await pixels(page)).hash, start.hash);
  assert.deepEqual(complaints, []);
});

// A run can be paused, taken a step further, and let go.
test("pauses and steps a run", async (t) => {
  writeFileSync(join(folder.path, "held.yaml"), bed([4, 4, 4], "4000 s"));
  const server = await serve(folder.path, "held.yaml");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await shown(page);
  const steps = () => page.evaluate(() => talus.recording.header.steps);
  const still = async () => {
    for (let before = -1, now = await steps();; [before, now] = [now, await steps()]) {
      if (before === now) return now;
      await new Promise((resolve) => setTimeout(resolve, 2500));
    }
  };
  await page.locator("[data-do=run-pause]").click();
  const held = await still();
  for (const more of [1, 2]) {
    await page.locator("[data-do=run-step]").click();
    await page.waitForFunction((n) => talus.recording.header.steps === n, held + more);
  }
  assert.equal(await still(), held + 2);
  await page.locator("[data-do=run-go]").click();
  await page.waitForFunction((n) => talus.recording.header.steps > n, held + 10);
  assert.deepEqual(complaints, []);
});

// With Ctrl held down a body is dragged: it comes to where the pointer leads it, seen from the front, and is let go.
test("pulls a body of a run", async (t) => {
  writeFileSync(join(folder.path, "pulled.yaml"),
    "gravity: [0, 0, 0]\ntime: {step: 1 ms, end: 4000 s}\nrecord: {every: 20}\nbodies:\n" +
    "  - {name: left, shape: {sphere: 0.2}, mass: 1, position: [-1, 0, 0]}\n" +
    "  - {name: right, shape: {sphere: 0.2}, mass: 1, position: [1, 0, 0]}\n");
  const server = await serve(folder.path, "pulled.yaml");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await shown(page);
  await page.locator(".scene canvas").focus();
  await page.keyboard.press("1");
  const place = (body) => page.evaluate((i) => talus.view.textures.position(i).toArray(), body);
  const pixel = async (body) => {
    const [x, y] = await page.evaluate((i) => talus.view.project(talus.view.textures.position(i)), body);
    const box = await page.locator(".scene canvas").boundingBox();
    return [box.x + x, box.y + y];
  };
  const [x, y] = await pixel(1);
  const camera = await page.evaluate(() => talus.view.cameraText());
  await page.keyboard.down("Control");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 120, {steps: 5});
  const target = await page.evaluate(() => talus.pull.target.toArray());
  assert.ok(target[2] > 0.2, `pulled up to ${target}`);
  assert.ok(await page.evaluate(() => talus.view.band.line.visible));
  await page.waitForFunction((to) => Math.hypot(...talus.view.textures.position(1).toArray().map((v, k) => v - to[k])) < 0.02, target);
  await page.mouse.up();
  await page.keyboard.up("Control");
  assert.equal(await page.evaluate(() => talus.view.band.line.visible), false);
  assert.equal(await page.evaluate(() => talus.view.cameraText()), camera);  // the picture has not turned
  assert.deepEqual(await place(0), [-1, 0, 0]);
  assert.deepEqual(complaints, []);
});

// When the run has ended, the page stays and shows all of it.
test("outlives the run", async (t) => {
  writeFileSync(join(folder.path, "run.yaml"), bed([10, 10, 10], "6 s"));
  const server = await serve(folder.path, "run.yaml", "-o", "run.h5");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await shown(page);
  assert.equal(await page.evaluate(() => talus.recording.header.status), "running");  // or nothing is shown here
  await page.waitForFunction(() => talus.recording.header.status === "finished", null, {timeout: 120000});
  await page.locator(".status", {hasText: "finished"}).waitFor();
  assert.equal(await page.evaluate(() => talus.recording.frameCount), 3001);
  await page.waitForFunction(() => talus.plots.table("energy")[0]?.time.length === 3000);
  await page.locator(".scene canvas").focus();
  for (const [key, frame] of [["Home", 0], ["End", 3000]]) {
    await page.keyboard.press(key);
    await page.waitForFunction((k) => talus.player.frame === k, frame);
  }
  assert.deepEqual(complaints, []);
  const facts = JSON.parse(talus(folder.path, "info", "--json", "run.h5"));
  assert.equal(facts.status, "finished");
});

// Ctrl-C ends server and run; the record is complete up to there.
test("ends with the run", async () => {
  writeFileSync(join(folder.path, "cut.yaml"), pair("1000"));
  const server = await serve(folder.path, "cut.yaml", "-o", "cut.h5");
  await new Promise((resolve) => setTimeout(resolve, 700));
  await server.stop();
  const facts = JSON.parse(talus(folder.path, "info", "--json", "cut.h5"));
  assert.equal(facts.status, "interrupted");
  assert.ok(facts.steps > 0);
});
