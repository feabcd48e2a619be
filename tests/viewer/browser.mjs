// What the tests of the page share: records, the server, and a browser that draws without a graphics processor.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {mkdtempSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {after} from "node:test";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const {chromium} = require("playwright-core");

export const program = process.env.TALUS_PROGRAM;
const environment = {...process.env, TALUS_VIEWER: process.env.TALUS_PAGE};

export const repository = new URL("../../", import.meta.url).pathname;

export function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), "talus-view-"));
  return {path: folder, remove: () => rmSync(folder, {recursive: true, force: true})};
}

/** Runs the program in a folder; its stdout. */
export function talus(folder, ...words) {
  return execFileSync(program, words, {cwd: folder, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"]});
}

export function record(folder, name, scene) {
  writeFileSync(join(folder, `${name}.yaml`), scene);
  talus(folder, "run", `${name}.yaml`, "--quiet");
  return `${name}.h5`;
}

export const bed = (count, end = "4 ms") => `
title: A bed of ${count.join(" x ")} balls
time: {step: 2 ms, end: ${end}}
solver: {tolerance: 1e-2, max_iterations: 50}
record: {every: 1}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - name: grains
    mass: 0.01
    velocity: [0, 0, -0.5]
    lattice: {shape: {sphere: 10 mm}, count: [${count}], spacing: [21 mm, 21 mm, 21 mm], origin: [0, 0, 10 mm]}
`;

export const pair = (end = "0.4") => `
title: A ball and a crate
time: {step: 1 ms, end: ${end}}
record: {every: 4}
materials: {wood: {density: 700}}
contacts: {default: {friction: 0.5}}
bodies:
  - {name: floor, shape: {plane: {}}, fixed: true}
  - {name: ball, shape: {sphere: 0.2}, mass: 1, position: [-0.4, 0, 0.5], velocity: [0.5, 0, 0]}
  - {name: crate, shape: {box: [0.3, 0.3, 0.3]}, material: wood, position: [0.5, 0, 0.15]}
`;

/** `talus view` in the background; `stop` ends it as Ctrl-C does. */
export async function serve(folder, ...words) {
  const process = spawn(program, ["view", "-p", "0", ...words], {cwd: folder, env: environment});
  let errors = "";
  process.stderr.on("data", (text) => { errors += text; });
  const address = await new Promise((resolve, reject) => {
    process.stdout.once("data", (text) => resolve(String(text).trim()));
    process.once("exit", () => reject(new Error(errors)));
  });
  return {
    address,
    errors: () => errors,
    stop: () => new Promise((resolve) => {
      process.once("exit", resolve);
      process.kill("SIGINT");
    }),
  };
}

let browser = null;
after(() => browser?.close());

/** A page of the browser, which all tests of a file share; without what another one stored. */
export async function open(test, address, {width = 1100, height = 700, ...more} = {}) {
  browser ??= await chromium.launch({
    executablePath: process.env.TALUS_CHROMIUM,
    args: ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"],
  });
  const context = await browser.newContext({viewport: {width, height}, ...more});
  test.after(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(Number(process.env.TALUS_PAGE_TIMEOUT ?? 120000));
  const complaints = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) complaints.push(message.text()); });
  page.on("pageerror", (error) => complaints.push(error.stack));
  const requests = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(address);
  return {page, complaints, requests};
}

export async function openRecord(test, folder, file, options) {
  const server = await serve(folder, file);
  test.after(() => server.stop());
  const opened = await open(test, server.address, options);
  await shown(opened.page);
  return {...opened, server};
}

/** Waits for the first picture with bodies in it. */
export const shown = (page) => page.waitForFunction(() => window.talus?.player.current != null && talus.view.pictures > 0);

/** Shows a frame and waits for its picture. */
export const show = (page, frame) => page.evaluate(async (k) => {
  await talus.player.show(k);
  await talus.player.refresh();
  talus.view.drawNow();
}, frame);

/** Statistics of the picture's pixels: how many colours, share of the most frequent one, a hash. */
export const pixels = (page) => page.evaluate(() => {
  const canvas = talus.view.renderer.domElement;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const context = copy.getContext("2d");
  talus.view.drawNow();
  context.drawImage(canvas, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  const counts = new Map();
  let hash = 0;
  for (let i = 0; i < data.length; i += 4) {
    const colour = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
    hash = (Math.imul(hash, 31) + colour) | 0;
  }
  return {colours: counts.size, most: Math.max(...counts.values()) / (data.length / 4), hash};
});

/** Where a body is on the page. */
export const whereIs = (page, name) => page.evaluate((body) => {
  const [x, y] = talus.view.project(talus.view.textures.position(talus.recording.findBody(body)));
  const box = talus.view.renderer.domElement.getBoundingClientRect();
  return {x: box.x + x, y: box.y + y};
}, name);

/** Rows of a CSV table as objects. */
export function table(text) {
  const [head, ...rows] = text.trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, Number(row[i])])));
}

export {assert};
