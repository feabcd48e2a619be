// What the page needs for beds of 10^3, 10^4 and 10^5 spheres; not a test, prints a table.
//
//   TALUS_PROGRAM=… TALUS_PAGE=… tests/viewer/run tests/viewer/measure.mjs
import {statSync} from "node:fs";
import {loadavg} from "node:os";
import {join} from "node:path";
import {test} from "node:test";
import {bed, makeFolder, open, record, serve, shown} from "./browser.mjs";

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const kSizes = [[160, 120], [480, 300], [950, 710]];

test("figures", {timeout: 900000}, async (t) => {
  const folder = makeFolder();
  t.after(folder.remove);
  for (const count of [[10, 10, 10], [20, 20, 25], [50, 50, 40]]) {
    const bodies = count.reduce((all, n) => all * n, 1);
    const file = record(folder.path, `bed${count[0]}`, bed(count, "24 ms"));
    const server = await serve(folder.path, file);
    const {page} = await open(t, server.address, {width: 1280, height: 800});
    await shown(page);
    const first = [];
    for (let i = 0; i < 5; ++i) {
      await page.reload();
      await shown(page);
      first.push(await page.evaluate(() => {
        const gl = talus.view.renderer.getContext();
        gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
        return performance.now() / 1000;
      }));
    }
    const figures = await page.evaluate(async (sizes) => {
      const {player, recording, view} = talus;
      const gl = view.renderer.getContext();
      const finish = () => gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
      const fetched = [];
      const frames = [];
      const before = recording.bytesFetched;
      const start = performance.now();
      for (let k = 1; k < recording.frameCount; ++k) {
        const begun = performance.now();
        await player.show(k);
        fetched.push(performance.now() - begun);
        frames.push(player.current);
      }
      const all = performance.now() - start;
      const bytes = (recording.bytesFetched - before) / Math.max(frames.length, 1);
      const sized = [];
      for (const [width, height] of sizes) {
        view.setFixedSize(width, height);
        const drawn = [];
        for (let i = 0; i < 5; ++i) {
          const begun = performance.now();
          player.onFrame(frames[i % frames.length]);
          view.drawNow();
          finish();
          drawn.push(performance.now() - begun);
        }
        sized.push(drawn);
      }
      const {calls, triangles} = view.renderer.info.render;
      const script = {};
      view.renderer.render = () => undefined;
      for (const colour of ["body", "speed", "contacts"]) {
        talus.setColoring(colour);
        const needed = [];
        for (let k = 0; k < 4; ++k) {
          await player.show(k);
          await player.refresh();
          needed.push(player.current);
        }
        script[colour] = [];
        for (let i = 0; i < 60; ++i) {
          const begun = performance.now();
          player.onFrame(needed[i % needed.length]);
          view.drawNow();
          script[colour].push(performance.now() - begun);
        }
      }
      return {fetched, all: all / frames.length, bytes, sized, calls, triangles, script, memory: performance.memory?.usedJSHeapSize ?? 0};
    }, kSizes);
    const worst = Math.max(...first);
    console.log([
      `${bodies} bodies, record ${(statSync(join(folder.path, file)).size / 1e6).toFixed(1)} MB, load ${loadavg()[0].toFixed(1)}`,
      `  first frame: median ${median(first).toFixed(2)} s, worst of five ${worst.toFixed(2)} s`,
      `  JavaScript per frame: ${Object.entries(figures.script).map(([name, values]) =>
        `by ${name} ${median(values).toFixed(2)} (worst ${Math.max(...values).toFixed(1)})`).join(", ")} ms`,
      `  a new frame from the server: median ${median(figures.fetched).toFixed(1)} ms, ${figures.all.toFixed(1)} ms on average, ${(figures.bytes / 1e6).toFixed(2)} MB`,
      `  ${figures.calls} calls, ${figures.triangles} triangles; drawn without a graphics processor: ${kSizes.map(([w, h], i) =>
        `${w} x ${h} ${median(figures.sized[i]).toFixed(0)} ms`).join(", ")}`,
      `  memory of the page: ${(figures.memory / 1e6).toFixed(0)} MB`].join("\n"));
    await page.context().close();
    await server.stop();
  }
});
