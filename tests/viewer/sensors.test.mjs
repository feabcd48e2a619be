import {after, test} from "node:test";
import {assert, makeFolder, openRecord, record, show, table, talus} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);
const swing = record(folder.path, "swing", `
title: A pendulum above a floor, with sensors
time: {step: 2 ms, end: 0.2}
record: {every: 4}
bodies:
  - {name: floor, motion: fixed, shape: {plane: {}}}
  - {name: bob, mass: 1, shape: {sphere: 8 cm}, position: [0.5, 0, 1]}
joints:
  - {name: pin, between: bob, revolute: {at: [0, 0, 1], axis: [0, 1, 0]}}
sensors:
  - {name: imu, accelerometer: bob}
  - {name: eye, rangefinder: {body: bob, direction: [0, 0, -1], reach: 5}}
  - {name: up, rangefinder: {body: bob, direction: [0, 0, 1]}}
  - {name: turned, orientation: bob}
`);
/** Row of the step that ended at a frame: every fourth is recorded. */
const rowOf = (frame) => 4 * frame - 1;
const reads = (page, name) => page.locator(`[data-sensor=${name}]`).innerText();
const numbers = (text) => text.match(/-?[\d.]+(e[-+]?\d+)?/g).map(Number);

// The table follows the timeline with the recorded readings; a ray that meets nothing reads nothing; a click plots a sensor.
test("readings follow the timeline", async (t) => {
  const {page, complaints} = await openRecord(t, folder.path, swing);
  const rows = table(talus(folder.path, "export", swing, "--series", "sensors"));
  await show(page, 0);
  assert.equal(await reads(page, "imu"), "–");
  for (const frame of [5, 20]) {
    await show(page, frame);
    const row = rows[rowOf(frame)];
    const shown = numbers(await reads(page, "imu"));
    for (const [k, axis] of ["x", "y", "z"].entries())
      assert.ok(Math.abs(shown[k] - row[`imu_${axis} [m/s^2]`]) < 0.02, `${shown} is not that of ${axis}`);
    assert.match(await reads(page, "imu"), /m\/s\^2$/);
    assert.ok(Math.abs(numbers(await reads(page, "eye"))[0] - row["eye [m]"]) < 0.01);
    assert.equal(await reads(page, "up"), "–");
    assert.equal(numbers(await reads(page, "turned")).length, 4);
  }
  await page.locator(".machine button", {hasText: /^eye$/}).click();
  await page.waitForFunction(() => talus.plots.table("sensors/eye").length === 1);
  assert.deepEqual(await page.evaluate(() => [...talus.plots.table("sensors/eye")[0].value]), rows.map((row) => row["eye [m]"]));
  assert.deepEqual(complaints, []);
});

// A record without sensors has no table of them; one without joints has.
test("only where there are sensors", async (t) => {
  const scene = (sensors) => `
time: {step: 2 ms, end: 0.02}
bodies: [{name: ball, mass: 1, shape: {sphere: 0.1}, position: [0, 0, 1]}]
${sensors}`;
  for (const [name, text, count] of [["none", "", 0], ["one", "sensors: [{name: gyro, gyro: ball}]", 1]]) {
    const {page, complaints} = await openRecord(t, folder.path, record(folder.path, name, scene(text)));
    assert.equal(await page.locator("[data-sensor]").count(), count);
    assert.deepEqual(complaints, []);
  }
});
