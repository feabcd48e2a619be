import {writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";
import {assert, bed, makeFolder, open, pair, pixels, serve, shown, talus} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);

// A scene is run and followed; when the run has ended, the page stays and shows all of it.
test("follows a run to its end", async (t) => {
  writeFileSync(join(folder.path, "run.yaml"), bed([8, 8, 10], "4 s"));
  const server = await serve(folder.path, "run.yaml");
  t.after(() => server.stop());
  const {page, complaints} = await open(t, server.address);
  await shown(page);
  assert.equal(await page.locator(".status").innerText(), "running");
  const early = await page.evaluate(() => talus.recording.frameCount);
  await page.waitForFunction((n) => talus.recording.frameCount > n && talus.player.frame > n, early);
  const picture = await pixels(page);
  // Looking back stops the following; Live takes it up again.
  await page.locator(".scene canvas").focus();
  await page.keyboard.press("Home");
  await page.waitForFunction(() => talus.player.frame === 0);
  await page.locator("[data-do=follow]").click();
  await page.waitForFunction((n) => talus.player.frame > n, early);
  await page.waitForFunction(() => talus.recording.header.status === "finished", null, {timeout: 120000});
  assert.equal(await page.locator(".status").innerText(), "finished");
  assert.equal(await page.evaluate(() => talus.recording.frameCount), 2001);
  await page.waitForFunction(() => talus.plots.table("energy")[0]?.time.length === 2000);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => talus.player.frame === 0);
  assert.notEqual((await pixels(page)).hash, picture.hash);
  assert.deepEqual(complaints, []);
  const facts = JSON.parse(talus(folder.path, "info", "--json", "run.h5"));
  assert.equal(facts.status, "finished");
});

// Ctrl-C ends server and run; the record is complete up to there.
test("ends with the run", async () => {
  writeFileSync(join(folder.path, "cut.yaml"), pair("1000"));
  const server = await serve(folder.path, "cut.yaml");
  await new Promise((resolve) => setTimeout(resolve, 700));
  await server.stop();
  const facts = JSON.parse(talus(folder.path, "info", "--json", "cut.h5"));
  assert.equal(facts.status, "interrupted");
  assert.ok(facts.steps > 0);
});
