// Small pictures against those in pictures/: what a shader, the camera, a colour or a layer changes is seen here.
//
//   TALUS_REMAKE_PICTURES=1 ctest -R viewer.pictures      makes them anew: look at them before they are committed
import {existsSync, mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {after, test} from "node:test";
import {assert, makeFolder, openRecord, record, repository, talus} from "./browser.mjs";

const folder = makeFolder();
after(folder.remove);
const references = new URL("pictures/", import.meta.url).pathname;
const [kWidth, kHeight] = [160, 120];
/** Largest mean difference of a block of 8 x 8 pixels, and of the picture, of 255. Edges are drawn a little differently by
 * other versions of a browser; a lamp a twentieth brighter is 8 in a block. */
const [kBlock, kMean] = [6, 0.5];

const shapes = `
title: Shapes
time: {step: 1 ms, end: 1 ms}
gravity: [0, 0, -10]
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: sphere, shape: {sphere: 0.2}, mass: 1, position: [0, 0, 0.2], velocity: [0, 0.2, 0]}
  - {name: box, shape: {box: [0.3, 0.3, 0.3]}, mass: 1, position: [0.5, 0, 0.15], velocity: [0, 0.4, 0]}
  - {name: capsule, shape: {capsule: {radius: 0.1, length: 0.3}}, mass: 1, position: [0, 0.6, 0.4], velocity: [0, 0.6, 0]}
  - {name: cylinder, shape: {cylinder: {radius: 0.15, length: 0.3}}, mass: 1, position: [0.5, 0.6, 0.15], velocity: [0, 0.8, 0]}
  - {name: hull, shape: {hull: {points: [[0, 0, 0], [0.4, 0, 0], [0, 0.4, 0], [0, 0, 0.4]]}}, mass: 1, position: [1, 0.1, 0.2]}
  - {name: clump, mass: 1, position: [1, 0.6, 0.4], shape: {clump: [{sphere: 0.15}, {sphere: 0.1, position: [0.2, 0, 0]}]}}
`;
const pile = `
title: Pile
time: {step: 2 ms, end: 20 ms}
solver: {tolerance: 1e-8}
record: {every: 10}
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, shape: {box: [2, 1, 0.1]}, fixed: true, position: [0.5, 0.2, -0.05]}
  - name: balls
    mass: 1
    lattice: {shape: {sphere: 0.1}, count: [3, 2, 3], spacing: [0.2, 0.2, 0.2], origin: [0, 0, 0.1]}
  - {name: crate, shape: {box: [0.2, 0.4, 0.2]}, mass: 2, position: [0.8, 0.1, 0.1], velocity: [1, 0, 0]}
`;

const make = {
  floor: () => record(folder.path, "floor", shapes),
  shapes: () => record(folder.path, "shapes", shapes.replace(/.*plane.*\n/, "")),
  pile: () => record(folder.path, "pile", pile),
  crank: () => {
    talus(folder.path, "run", join(repository, "examples/slider_crank"), "-o", "crank.h5", "--quiet", "--until", "0.03");
    return "crank.h5";
  },
};
/** Name of the picture; its record, frame, theme, and what else a link says. */
const pictures = [
  ["shapes_on_a_plane", "floor", 0, "light", ""],
  ["shapes_by_speed_in_the_dark", "shapes", 0, "dark", "colour=speed"],
  ["shapes_selected_with_axes", "shapes", 0, "light", "axes=1&body=box"],
  ["pile_forces_and_cones", "pile", 1, "light", "bodies=glass&show=forces,cones"],
  ["pile_chains", "pile", 1, "light", "bodies=glass&show=chains"],
  ["pile_contacts_by_count", "pile", 1, "light", "show=points,normals&colour=contacts"],
  ["crank_joint_forces", "crank", 4, "light", "reactions=1"],
];

const records = new Map();
for (const [name, of, frame, theme, words] of pictures)
  // The picture is what it was.
  test(name, async (t) => {
    if (!records.has(of)) records.set(of, make[of]());
    const {page, complaints} = await openRecord(t, folder.path, records.get(of), {width: 600, height: 400});
    const drawn = await page.evaluate(async ([k, mode, link, width, height]) => {
      talus.root.classList.add("bare");
      talus.setTheme(mode);
      talus.view.setFixedSize(width, height);
      talus.view.look(talus.recording.header.dimension === 2 ? "front" : "corner");
      const time = talus.recording.frameTime[k];
      talus.followLink(`t=${time}&cam=${talus.view.cameraText()}&${link}`);
      await talus.player.show(k);
      await talus.player.refresh();
      talus.view.drawNow();
      return talus.view.renderer.domElement.toDataURL("image/png").split(",")[1];
    }, [frame, theme, words, kWidth, kHeight]);
    assert.deepEqual(complaints, []);
    const file = join(references, `${name}.png`);
    if (process.env.TALUS_REMAKE_PICTURES) {
      mkdirSync(references, {recursive: true});
      writeFileSync(file, Buffer.from(drawn, "base64"));
      return;
    }
    assert.ok(existsSync(file), `${file} is missing`);
    const {mean, block, at} = await page.evaluate(async ([...images]) => {
      const [a, b] = await Promise.all(images.map(async (text) => {
        const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      }));
      if (a.width !== b.width || a.height !== b.height) throw new Error("another size");
      const size = 8;
      let [sum, worst, place] = [0, 0, [0, 0]];
      for (let y = 0; y < a.height; y += size)
        for (let x = 0; x < a.width; x += size) {
          // Of each colour the mean over the block, then their difference: a moved edge of a pixel is little.
          const of = [0, 0, 0];
          for (let j = y; j < y + size; ++j)
            for (let i = x; i < x + size; ++i)
              for (let c = 0; c < 3; ++c) {
                const k = 4 * (j * a.width + i) + c;
                of[c] += (a.data[k] - b.data[k]) / (size * size);
                sum += Math.abs(a.data[k] - b.data[k]) / (3 * a.width * a.height);
              }
          const difference = Math.max(...of.map(Math.abs));
          if (difference > worst) [worst, place] = [difference, [x, y]];
        }
      return {mean: sum, block: worst, at: place};
    }, [readFileSync(file).toString("base64"), drawn]);
    t.diagnostic(`mean difference ${mean.toFixed(3)}, of a block ${block.toFixed(2)}`);
    if (mean > kMean || block > kBlock) {
      const seen = join(process.env.TALUS_PICTURES_OUT ?? "/tmp", `${name}.seen.png`);
      writeFileSync(seen, Buffer.from(drawn, "base64"));
      assert.fail(`differs by ${mean.toFixed(2)} on average and ${block.toFixed(1)} in the block at ${at}: ${seen}`);
    }
  });
