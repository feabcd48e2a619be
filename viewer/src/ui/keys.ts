// Keys, and the list that tells them.
import {el} from "./elements";

/** Keys as the list names them, what they do, and the names of their actions. */
const kKeys: [string, string, Record<string, string>][] = [
  ["Space", "play, pause", {" ": "play"}],
  ["← →", "one frame; with Shift ten", {ArrowLeft: "back", ArrowRight: "forward"}],
  ["Home End", "first, last frame", {Home: "first", End: "last"}],
  ["+ −", "speed", {"+": "faster", "-": "slower"}],
  ["F", "what is there now fills the picture", {f: "fit"}],
  ["1 2 3 4", "from the front, the side, above, a corner", {1: "front", 2: "side", 3: "top", 4: "corner"}],
  ["O", "with perspective, or parallel", {o: "projection"}],
  ["C", "next colouring", {c: "colour"}],
  ["P N R H K", "contact points, normals, forces, chains, cones", {p: "points", n: "normals", r: "forces", h: "chains", k: "cones"}],
  ["J T A", "joints, joint forces, frames of bodies", {j: "joints", t: "reactions", a: "axes"}],
  ["V Y", "velocities, trails", {v: "velocities", y: "trails"}],
  ["E", "next event; with Shift the one before", {e: "event"}],
  ["B G", "bodies, walls: solid, glass, hidden", {b: "bodies", g: "walls"}],
  ["X", "cut across x, y, z, or not", {x: "cut"}],
  ["I U", "hide what is selected; only it, or all", {i: "hide", u: "only"}],
  ["M", "follow what is selected", {m: "follow"}],
  ["W", "worst contact of the worst step", {w: "worst"}],
  ["L", "look at what is selected", {l: "look"}],
  ["S", "picture to a file", {s: "picture"}],
  ["D", "dark, light", {d: "theme"}],
  ["Esc", "select nothing", {Escape: "nothing"}],
  ["?", "this list", {"?": "help"}],
];

export const keyList = (): HTMLElement => el("table", {}, ...kKeys.map(([keys, text]) =>
  el("tr", {}, el("td", {}, ...keys.split(" ").flatMap((word) => [el("kbd", {}, word), " "])), el("td", {}, text))));

/** The name of what a key does; nothing where it is text that is written. */
export function actionOf(event: KeyboardEvent): string | undefined {
  const {target} = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLSelectElement) return undefined;
  if (target instanceof HTMLInputElement && ["search", "text"].includes(target.type)) return undefined;
  for (const [, , actions] of kKeys) {
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (action !== undefined) return action;
  }
  return undefined;
}
