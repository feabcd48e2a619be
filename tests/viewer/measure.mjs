// Frame time and memory of the page for beds of 10^3, 10^4 and 10^5 spheres; not a test, prints a table.
//
//   TALUS_PROGRAM=… TALUS_PAGE=… tests/viewer/run tests/viewer/measure.mjs
import {statSync} from "node:fs";
import {join} from "node:path";
import {test} from "node:test";
import {bed, makeFolder, openRecord, record} from "./browser.mjs";

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

test("figures", {timeout: 600000}, async (t) => {
  const folder = makeFolder();
  t.after(folder.remove);
  console.log("bodies | record MB | first frame s | frame from server ms | prepare ms | draw ms | page MB");
  for (const count of [[10, 10, 10], [20, 20, 25], [50, 50, 40]]) {
    const name = `bed${count[0]}`;
    const file = record(folder.path, name, bed(count, "24 ms"));
    const {page} = await openRecord(t, folder.path, file, {width: 1280, height: 800});
    const first = await page.evaluate(() => performance.now() / 1000);
    const figures = await page.evaluate(async () => {
      const gl = talus.view.renderer.getContext();
      const finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      const fetched = [], prepared = [], drawn = [];
      for (let k = 1; k < talus.recording.frameCount; ++k) {
        let start = performance.now();
        const poses = await talus.recording.poses(k);
        fetched.push(performance.now() - start);
        start = performance.now();
        talus.view.textures.setPoses(poses);
        prepared.push(performance.now() - start);
        start = performance.now();
        talus.view.drawNow();
        finish();
        drawn.push(performance.now() - start);
      }
      return {fetched, prepared, drawn, bytes: performance.memory?.usedJSHeapSize ?? 0};
    });
    const megabytes = statSync(join(folder.path, file)).size / 1e6;
    console.log([product(count), megabytes.toFixed(1), first.toFixed(2), median(figures.fetched).toFixed(1),
                 median(figures.prepared).toFixed(2), median(figures.drawn).toFixed(1),
                 (figures.bytes / 1e6).toFixed(0)].join(" | "));
    await page.context().close();
  }
});

function product(count) {
  return count.reduce((all, n) => all * n, 1);
}
