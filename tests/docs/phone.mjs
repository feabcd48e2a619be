// phone.mjs PAGE…: opens pages at the width of a phone; prints what is wider than it, formulas that are not set, and what the browser
// complains about. Exit code 1 if there is any of it.
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const {chromium} = require("playwright-core");

const width = 390;
const browser = await chromium.launch({executablePath: process.env.TALUS_CHROMIUM, args: ["--no-sandbox"]});
const page = await browser.newPage({viewport: {width, height: 844}});
const complaints = [];
page.on("console", (message) => { if (message.type() === "error") complaints.push(message.text()); });
page.on("pageerror", (error) => complaints.push(error.stack));
page.on("request", (request) => { if (!/^(file|data):/.test(request.url())) complaints.push(`asks for ${request.url()}`); });
const found = [];
let formulas = 0;
for (const file of process.argv.slice(2)) {
  await page.goto(pathToFileURL(file).href);
  const {wide, errors, set, unset} = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    errors: [...document.querySelectorAll(".katex-error")].map((element) => element.title),
    set: document.querySelectorAll(".math > .katex, .math > .katex-display").length,
    unset: [...document.querySelectorAll(".math")].filter((element) => !element.querySelector(".katex")).map((element) => element.textContent),
  }));
  if (wide > width) found.push(`${file}: ${wide} pixels wide`);
  found.push(...[...errors, ...unset.map((text) => `formula not set: ${text}`), ...complaints.splice(0)].map((text) => `${file}: ${text}`));
  formulas += set;
}
await browser.close();
for (const line of found) console.log(line);
console.log(`${process.argv.length - 2} pages at ${width} pixels, ${formulas} formulas, ${found.length} mistakes`);
process.exit(found.length ? 1 : 0);
