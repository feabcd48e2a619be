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

// When the run has ended, the page stays and shows all of it.
test("outlives the run", async (t) => {
  writeFileSync(join(folder.path, "run.yaml"), bed([10, 10, 10], "2 s"));
  const server = await serve(folder.path, "run.yaml", "-o", "run.h5");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await shown(page);
  assert.equal(await page.evaluate(() => talus.recording.header.status), "running");  // or nothing is shown here
  await page.waitForFunction(() => talus.recording.header.status === "finished", null, {timeout: 120000});
  await page.locator(".status", {hasText: "finished"}).waitFor();
  assert.equal(await page.evaluate(() => talus.recording.frameCount), 1001);
  await page.waitForFunction(() => talus.plots.table("energy")[0]?.time.length === 1000);
  await page.locator(".scene canvas").focus();
  for (const [key, frame] of [["Home", 0], ["End", 1000]]) {
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
