// The page: joins record, picture and controls, keeps what is chosen in the address.
import {Vector3, type Object3D} from "three";
import {Certificates} from "./data/certificates";
import type {Recording} from "./data/recording";
import {Player, type FrameData} from "./player";
import {Colours, kColourings, type Coloring} from "./scene/colours";
import {contactFacts, kContactLayers, kStateColours, kStateNames, type ContactLayer} from "./scene/contacts";
import type {Style} from "./scene/bodies";
import {View, type Side} from "./scene/view";
import {button, check, el, section, select} from "./ui/elements";
import {EventList} from "./ui/events";
import {Inspector} from "./ui/inspector";
import {MachineTable} from "./ui/machine";
import {Plots} from "./ui/plots";

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];
const kPollMilliseconds = 500;
const kLayerNames: Record<ContactLayer, string> = {
  points: "points", normals: "normals", forces: "forces", chains: "force chains", cones: "friction cones",
};
const kStyles = [["solid", "solid"], ["glass", "glass"], ["hidden", "hidden"]] as const;
const kKeys: [string, string][] = [
  ["Space", "play, pause"], ["← →", "one frame; with Shift ten"], ["Home End", "first, last frame"], ["+ −", "speed"],
  ["F", "everything in the picture"], ["1 2 3 4", "from the front, the side, above, a corner"], ["C", "next colouring"],
  ["P N R H K", "contact points, normals, forces, chains, cones"], ["J T A", "joints, joint forces, frames of bodies"], ["E", "next event; with Shift the one before"],
  ["B G", "bodies, walls: solid, glass, hidden"], ["W", "worst contact of the worst step"], ["L", "look at what is selected"],
  ["S", "picture to a file"], ["D", "dark, light"], ["Esc", "select nothing"], ["?", "this list"],
];

export class App {
  readonly view: View;
  readonly player: Player;
  readonly colours: Colours;
  readonly plots: Plots;
  readonly inspector: Inspector;
  readonly root = document.getElementById("app")!;
  walls: Style = "solid";
  bodies: Style = "solid";

  private readonly legend = el("div", {class: "legend"});
  private readonly status = el("span", {class: "status"});
  private readonly facts = el("span", {class: "facts"});
  private readonly output = el("output", {name: "time"});
  private readonly range = el("input", {type: "range", min: "0", max: "0", step: "1", value: "0", "aria-label": "Frame"});
  private readonly playButton: HTMLButtonElement;
  private readonly speedList: HTMLLabelElement;
  private readonly followButton: HTMLButtonElement;
  private readonly controls = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private readonly help = el("dialog", {}, el("table", {}, ...kKeys.map(([key, text]) =>
    el("tr", {}, el("td", {}, ...key.split(" ").flatMap((word) => [el("kbd", {}, word), " "])), el("td", {}, text)))),
    el("p", {}, "Drag turns, with the right button moves, the wheel zooms; click selects, double click goes there."));
  private readonly certificates: Certificates;
  readonly events: EventList;
  private readonly machine: MachineTable | null;
  private hasExtent = false;
  private linkTimer = 0;

  constructor(readonly recording: Recording, private readonly fail: (error: unknown) => void) {
    const {header} = recording;
    document.title = `${header.title || header.file} · Talus`;
    const canvas = el("canvas", {tabindex: "0", "aria-label": "Bodies and contacts"});
    const scene = el("div", {class: "scene"}, canvas, this.legend);
    this.player = new Player(recording);
    this.events = new EventList(recording);
    this.events.onJump = (frame) => {
      this.player.pause();
      void this.player.jump(frame);
    };
    this.playButton = button("▶", "Play (Space)", () => this.player.toggle(), "play");
    this.followButton = button("Live", "Show every new frame as it comes", () => this.setFollow(!this.player.follows), "follow");
    this.speedList = select("", "speed", kSpeeds.map((speed) => [String(speed), `${speed}×`]), "1", (text) => {
      this.player.speed = Number(text);
    });
    const theme = button("◐", "Dark or light (D)", () => this.toggleTheme(), "theme");
    this.root.replaceChildren(
        el("header", {class: "bar"}, el("h1", {}, header.title || header.file), this.status, this.facts,
           button("Worst contact", "The worst contact of the worst step (W)", () => void this.showWorst(), "worst"),
           button("Link", "Copy a link with camera and time", () => this.copyLink(), "link"),
           button("Picture", "Save the picture (S)", () => this.savePicture(), "picture"), theme,
           button("?", "Keys", () => this.help.showModal(), "help")),
        scene, el("aside", {class: "panel"}),
        el("footer", {class: "time"}, button("|‹", "First frame (Home)", () => void this.player.jump(0), "first"),
           button("‹", "Frame before (←)", () => this.player.step(-1), "back"), this.playButton,
           button("›", "Frame after (→)", () => this.player.step(1), "forward"),
           button("›|", "Last frame (End)", () => void this.player.jump(recording.frameCount - 1), "last"),
           this.speedList, el("div", {class: "track"}, this.range, this.events.marks), this.output, this.followButton,
           el("span", {class: "only-narrow"}, button("☰", "Panel", () => this.togglePanel(), "panel"))),
        this.help);
    this.view = new View(recording, canvas);
    // Of the speed that a fall through one body gives.
    this.colours = new Colours(recording, 0.01 * Math.sqrt(Math.hypot(...recording.gravity) * this.view.bodySize));
    this.inspector = new Inspector(recording);
    this.plots = new Plots(recording, (time) => void this.player.seek(time), (error) => this.toast(error));
    if (header.dimension === 3)
      scene.append(el("div", {class: "views"}, ...(["front", "side", "top", "corner"] as Side[]).map((side, i) =>
        button(side, `Look from the ${side} (${i + 1})`, () => this.view.look(side), side))));
    this.certificates = new Certificates(recording);
    this.machine = recording.hasReactions ? new MachineTable(recording, (joint) => this.selectThing(-1, -1, joint),
      (name) => this.plots.add({key: name, title: name, names: [name]})) : null;
    this.fillPanel(this.root.querySelector(".panel")!);
    this.connect(canvas);
    this.setTheme(localStorage.getItem("talus-theme") ??
                  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    this.showStatus();
  }

  private fillPanel(panel: Element): void {
    const {recording} = this;
    const layers = el("div", {class: "checks"}, ...kContactLayers.map((layer) =>
      this.keep(check(kLayerNames[layer], layer, false, (isOn) => this.showLayer(layer, isOn)))));
    const force = el("input", {type: "range", min: "-2", max: "2", step: "0.1", value: "0", "aria-label": "Size of forces",
                               input: () => {
      this.view.contacts.setFactor(2 ** Number(force.value));
      this.view.joints?.setFactor(2 ** Number(force.value));
      this.view.draw();
    }});
    const states = el("p", {class: "quiet"}, ...kStateNames.flatMap((name, i) => [
      el("b", {style: `color:${kStateColours[i]}`}, "● "), `${name}  `]));
    const stack = section("Display", true,
        this.keep(select("Colour", "colour", kColourings.map((name) => [name, name === "contacts" ? "contact count" : name] as const),
                         "body", (name) => this.setColoring(name as Coloring))),
        this.keep(select("Bodies", "bodies", kStyles, "solid", (style) => this.setBodies(style as Style))),
        this.keep(select("Walls", "walls", kStyles, "solid", (style) => this.setWalls(style as Style))),
        el("div", {class: "row"}, el("span", {}, "Contacts")), layers, states,
        el("label", {class: "row"}, el("span", {}, "Force size"), force),
        el("div", {class: "checks"},
           this.keep(check("frames of bodies", "axes", false, (isOn) => this.showMarks(this.view.axes, isOn))),
           ...(this.view.joints === null ? [] : [
             this.keep(check("joints", "joints", true, (isOn) => this.showMarks(this.view.joints!.marks, isOn))),
             this.keep(check("joint forces", "reactions", false, (isOn) => this.showMarks(this.view.joints!.forces, isOn))),
           ])));
    const plots = section("Plots", true, this.plots.element);
    const facts = recording.header.provenance;
    const origin = section("Record", false, el("table", {class: "inspector"}, ...[
      ["file", recording.header.file], ["bodies", String(recording.bodyCount)], ["started", facts["start_time"]],
      ["command", facts["command_line"]], ["version", `${facts["version"]} ${facts["git_commit"]?.slice(0, 10)}`],
      ["machine", facts["machine"]],
    ].map(([name, text]) => el("tr", {}, el("th", {}, name ?? ""), el("td", {}, text ?? "")))));
    panel.append(section("Selection", true, this.inspector.element), stack,
                 ...(this.machine === null ? [] : [section("Machine", true, this.machine.element)]),
                 ...(recording.events === null ? [] : [section("Events", true, this.events.element)]), plots, origin);
  }

  /** Notes a control under its name, so that keys and links can set it. */
  private keep(label: HTMLLabelElement): HTMLLabelElement {
    const control = label.querySelector<HTMLInputElement | HTMLSelectElement>("input, select")!;
    this.controls.set(control.name, control);
    return label;
  }

  /** Sets a control as a person would. */
  set(name: string, value: string | boolean): void {
    const control = this.controls.get(name);
    if (control === undefined) return;
    if (control instanceof HTMLInputElement) control.checked = Boolean(value);
    else if ([...control.options].some((option) => option.value === value)) control.value = String(value);
    control.dispatchEvent(new Event("change"));
  }
  private flip(name: string): void {
    const control = this.controls.get(name);
    if (control instanceof HTMLInputElement) this.set(name, !control.checked);
    else if (control !== undefined) this.set(name, control.options[(control.selectedIndex + 1) % control.options.length]!.value);
  }

  private connect(canvas: HTMLCanvasElement): void {
    const {player, view, inspector} = this;
    player.needs = () => ({
      velocities: this.colours.coloring === "speed" || inspector.body >= 0,
      contacts: view.contacts.isShown || this.colours.coloring === "contacts" || inspector.body >= 0 || inspector.contact >= 0,
    });
    player.onFrame = (frame) => this.showFrame(frame);
    player.onState = () => {
      this.showPlayState();
      this.keepLink();
    };
    player.onError = (error) => this.fail(error);
    view.onCamera = () => this.keepLink();
    this.range.addEventListener("input", () => {
      player.pause();
      void player.show(Number(this.range.value));
    });
    let down: [number, number] | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = [event.clientX, event.clientY];
    });
    canvas.addEventListener("click", (event) => {
      if (down !== null && Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      const {body, contact, joint} = view.pick(event.offsetX, event.offsetY);
      this.selectThing(body, contact, joint);
    });
    canvas.addEventListener("dblclick", () => this.focus());
    inspector.onSelect = (body, contact, joint) => this.selectThing(body, contact, joint);
    inspector.onFocus = () => this.focus();
    inspector.onPlot = (title, names) => this.plots.add({key: names[0]!, title, names});
    window.addEventListener("keydown", (event) => this.onKey(event));
    window.addEventListener("hashchange", () => this.followLink());
  }

  async start(): Promise<void> {
    if (this.recording.frameCount > 0) {
      await this.showFirst();
    } else if (!this.recording.isRunning) {
      this.toast("This record has no frames.");
    }
    this.readCertificates().catch((error: unknown) => this.toast(error));
    this.plots.reload().catch((error: unknown) => this.toast(error));
    if (this.recording.isRunning) {
      if (location.hash === "") this.setFollow(true);
      void this.followRun();
    }
  }

  private showMarks(marks: Object3D, isOn: boolean): void {
    marks.visible = isOn;
    this.view.draw();
    this.keepLink();
  }

  private async showFirst(): Promise<void> {
    this.range.max = String(Math.max(this.recording.frameCount - 1, 0));
    if (!this.hasExtent) {
      this.view.setExtent(await Promise.all(this.recording.overview.map((frame) => this.recording.poses(frame))));
      this.hasExtent = true;
    }
    if (!this.followLink()) await this.player.show(0);
  }

  /** Asks what the run has added, until it has ended. */
  private async followRun(): Promise<void> {
    while (this.recording.isRunning) {
      await new Promise((resolve) => setTimeout(resolve, kPollMilliseconds));
      try {
        const hasNews = await this.recording.refresh(await this.recording.source.progress());
        if (!hasNews && this.recording.isRunning) continue;
        this.showStatus();
        if (!this.hasExtent && this.recording.frameCount > 0) await this.showFirst();
        this.range.max = String(Math.max(this.recording.frameCount - 1, 0));
        this.events.reload();
        if (this.player.follows) await this.player.show(this.recording.frameCount - 1);
        else if (this.player.current !== null) this.showTime(this.player.current);
        await this.readCertificates();
        await this.plots.reload();
      } catch (error) {
        this.fail(error);
        return;
      }
    }
    this.setFollow(false);
  }

  private setFollow(isOn: boolean): void {
    this.player.pause();
    this.player.follows = isOn && this.recording.isRunning;
    this.showPlayState();
    if (this.player.follows) void this.player.show(this.recording.frameCount - 1);
  }

  private async readCertificates(): Promise<void> {
    await this.certificates.read();
    if (this.colours.coloring === "certificate" && this.player.current !== null) this.paint(this.player.current);
  }

  private showFrame(frame: FrameData): void {
    this.view.textures.setPoses(frame.poses);
    this.view.hasFrame = true;
    if (frame.contacts !== null && this.view.contacts.isShown) this.view.contacts.set(frame.contacts);
    this.view.joints?.set(frame.reactions);
    this.machine?.show(frame.reactions);
    this.paint(frame);
    this.inspector.show(frame);
    this.showTime(frame);
    this.view.draw();
    this.keepLink();
  }

  private paint(frame: FrameData): void {
    const certificate = this.certificates.ofFrame(frame.index);
    if (this.colours.make({...frame, certificate})) this.view.textures.setColours(this.colours.bytes);
    this.showLegend();
    this.view.draw();
  }

  private showLegend(): void {
    const {title, ramp, entries} = this.colours.legend;
    const text = JSON.stringify(this.colours.legend);
    if (this.legend.dataset["shown"] === text) return;
    this.legend.dataset["shown"] = text;
    const parts: (Node | string)[] = [];
    if (ramp !== undefined || (entries !== undefined && entries.length > 0)) parts.push(el("div", {}, title));
    if (ramp !== undefined)
      parts.push(el("div", {class: "ramp", style: `background:${ramp.css}`}),
                 el("div", {class: "ends"}, el("span", {}, ramp.low), el("span", {}, ramp.high)));
    for (const [name, css] of entries ?? [])
      parts.push(el("span", {class: "entry"}, el("i", {style: `background:${css}`}), name));
    this.legend.replaceChildren(...parts);
  }

  private showTime(frame: FrameData): void {
    this.range.value = String(frame.index);
    const time = this.recording.frameTime[frame.index]!;
    const end = this.recording.frameTime.at(-1)!;
    const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(end, 1e-6)))));
    this.output.value = `${time.toFixed(digits)} / ${end.toFixed(digits)} s`;
    this.output.title = `frame ${frame.index + 1} of ${this.recording.frameCount}, step ${this.recording.frameStep[frame.index]}`;
    this.plots.setTime(time);
    this.events.setTime(time);
  }

  private showStatus(): void {
    const {header} = this.recording;
    this.status.textContent = header.status === "running" ? "running" : header.status;
    this.status.dataset["status"] = header.status;
    this.facts.textContent = `${this.recording.bodyCount} bodies · ${this.recording.stepTime.length} steps · ` +
        `${this.recording.frameCount} frames`;
    this.showPlayState();
  }

  private showPlayState(): void {
    this.playButton.textContent = this.player.isPlaying ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-pressed", String(this.player.isPlaying));
    this.followButton.setAttribute("aria-pressed", String(this.player.follows));
    this.followButton.hidden = !this.recording.isRunning;
  }

  setColoring(coloring: Coloring): void {
    this.colours.coloring = coloring;
    void this.player.refresh();
    this.keepLink();
  }

  setBodies(style: Style): void {
    this.bodies = style;
    this.view.bodies.setMoving(style);
    this.view.draw();
    this.keepLink();
  }

  setWalls(style: Style): void {
    this.walls = style;
    this.view.bodies.setWalls(style);
    this.view.draw();
    this.keepLink();
  }

  showLayer(layer: ContactLayer, isOn: boolean): void {
    this.view.contacts.show(layer, isOn);
    void this.player.refresh();
    this.view.draw();
    this.keepLink();
  }

  private choose(body: number, contact: number, joint: number): void {
    Object.assign(this.inspector, {body, contact, joint});
    this.view.textures.uniforms.uSelected.value = body;
    this.view.contacts.select(contact);
    this.view.joints?.select(joint);
  }

  /** Selects one of the three, or with -1 each nothing. */
  selectThing(body: number, contact: number, joint = -1): void {
    this.choose(body, contact, joint);
    void this.player.refresh();
    this.view.draw();
    this.keepLink();
  }

  focus(): void {
    const {body, contact, joint} = this.inspector;
    const frame = this.player.current;
    const size = this.view.bodySize;
    if (contact >= 0 && frame?.contacts && contact < frame.contacts.count) {
      const {position} = contactFacts(this.recording, frame.contacts, contact, 1);
      this.view.focus(new Vector3(...position), 2.5 * size);
    } else if (joint >= 0) {
      this.view.focus(this.view.joints!.position(joint), 1.5 * size);
    } else if (body >= 0) {
      const radius = this.view.radii[body]! || this.view.extent.radius;
      this.view.focus(this.view.textures.position(body), 4 * radius);
    } else {
      this.view.look(this.recording.header.dimension === 2 ? "front" : "corner");
    }
  }

  /** Goes to the step with the largest residual, and to the contact that has most of it. */
  async showWorst(): Promise<void> {
    if (this.certificates.count === 0) await this.readCertificates();
    if (this.certificates.count === 0) return this.toast("This record has no steps yet.");
    const worst = this.certificates.worstRow();
    const {naturalMap, contact: named, bodyA, bodyB} = this.certificates.ofRow(worst);
    const step = worst + this.recording.firstStep;
    const {frameStep} = this.recording;
    let frame = frameStep.findIndex((number) => number >= step);
    if (frame < 0) frame = frameStep.length - 1;
    this.player.pause();
    const isRecorded = frameStep[frame] === step;
    const contact = isRecorded ? named : -1;
    if (contact >= 0 && !this.view.contacts.visible.has("points")) this.set("points", true);
    this.choose(contact >= 0 ? -1 : bodyB, contact, -1);
    await this.player.show(frame);
    if (contact >= 0 || this.inspector.body >= 0) this.focus();
    this.toast(`Worst step: ${step}, natural map ${naturalMap.toExponential(2)}` +
               (bodyA < 0 ? "; it names no contact" : isRecorded ? "" : "; the nearest recorded frame is shown"));
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return;
    if (target instanceof HTMLInputElement && target.type === "search") return;
    if (target instanceof HTMLSelectElement) return;
    const step = event.shiftKey ? 10 : 1;
    const sides: Side[] = ["front", "side", "top", "corner"];
    const last = this.recording.frameCount - 1;
    const actions: Record<string, () => void> = {
      " ": () => this.player.toggle(),
      ArrowRight: () => this.player.step(step),
      ArrowLeft: () => this.player.step(-step),
      Home: () => void this.player.jump(0),
      End: () => void this.player.jump(last),
      "+": () => this.changeSpeed(1),
      "-": () => this.changeSpeed(-1),
      f: () => this.view.look(this.recording.header.dimension === 2 ? "front" : "corner"),
      c: () => this.flip("colour"),
      p: () => this.flip("points"),
      n: () => this.flip("normals"),
      r: () => this.flip("forces"),
      h: () => this.flip("chains"),
      k: () => this.flip("cones"),
      j: () => this.flip("joints"),
      t: () => this.flip("reactions"),
      e: () => this.events.step(event.shiftKey ? -1 : 1),
      a: () => this.flip("axes"),
      b: () => this.flip("bodies"),
      g: () => this.flip("walls"),
      w: () => void this.showWorst(),
      l: () => this.focus(),
      s: () => this.savePicture(),
      d: () => this.toggleTheme(),
      Escape: () => this.selectThing(-1, -1),
      "?": () => this.help.showModal(),
    };
    sides.forEach((side, i) => {
      actions[String(i + 1)] = () => this.view.look(side);
    });
    const action = actions[event.key] ?? actions[event.key.toLowerCase()];
    if (action === undefined) return;
    event.preventDefault();
    action();
  }

  private changeSpeed(direction: number): void {
    const list = this.speedList.querySelector("select")!;
    list.selectedIndex = Math.max(0, Math.min(list.options.length - 1, list.selectedIndex + direction));
    this.player.speed = Number(list.value);
    this.toast(`Speed ${list.value}×`);
  }

  setTheme(theme: string): void {
    document.documentElement.dataset["theme"] = theme;
    this.view.setBackground(getComputedStyle(document.documentElement).getPropertyValue("--scene").trim());
    if (this.hasExtent) this.plots.reload().catch((error: unknown) => this.toast(error));
  }
  private toggleTheme(): void {
    const theme = document.documentElement.dataset["theme"] === "dark" ? "light" : "dark";
    localStorage.setItem("talus-theme", theme);
    this.setTheme(theme);
  }

  private togglePanel(): void {
    this.root.classList.toggle("with-panel");
  }

  /** What is seen, as words after # in the address. */
  linkWords(): URLSearchParams {
    const words = new URLSearchParams();
    words.set("t", String(this.player.time));
    words.set("cam", this.view.cameraText());
    if (this.colours.coloring !== "body") words.set("colour", this.colours.coloring);
    if (this.bodies !== "solid") words.set("bodies", this.bodies);
    if (this.walls !== "solid") words.set("walls", this.walls);
    if (this.view.contacts.visible.size > 0) words.set("show", [...this.view.contacts.visible].join(","));
    if (this.view.axes.visible) words.set("axes", "1");
    if (this.view.joints?.forces.visible) words.set("reactions", "1");
    if (this.inspector.joint >= 0) words.set("joint", this.recording.joints!.name[this.inspector.joint]!);
    if (this.inspector.body >= 0) words.set("body", this.recording.bodyName(this.inspector.body));
    return words;
  }

  private keepLink(): void {
    if (!this.hasExtent || this.linkTimer !== 0 || this.player.isPlaying) return;
    // Browsers allow a hundred changes in some seconds.
    this.linkTimer = window.setTimeout(() => {
      this.linkTimer = 0;
      history.replaceState(null, "", `#${this.linkWords()}`);
    }, 300);
  }

  /** Shows what the address says; false if it says nothing. */
  followLink(hash = location.hash.slice(1)): boolean {
    const words = new URLSearchParams(hash);
    if (!words.has("t") && !words.has("cam")) return false;
    this.player.follows = false;
    this.set("colour", words.get("colour") ?? "body");
    this.set("bodies", words.get("bodies") ?? "solid");
    this.set("walls", words.get("walls") ?? "solid");
    const shown = (words.get("show") ?? "").split(",");
    for (const layer of kContactLayers)
      if (this.view.contacts.visible.has(layer) !== shown.includes(layer)) this.set(layer, shown.includes(layer));
    this.set("axes", words.has("axes"));
    this.set("reactions", words.has("reactions"));
    this.selectThing(words.has("body") ? this.recording.findBody(words.get("body")!) : -1, -1,
                     words.has("joint") ? this.recording.joints?.name.indexOf(words.get("joint")!) : -1);
    const camera = words.get("cam");
    if (camera !== null) this.view.setCamera(camera);
    void this.player.seek(Number(words.get("t") ?? 0) || 0);
    return true;
  }

  private copyLink(): void {
    const address = `${location.href.split("#")[0]}#${this.linkWords()}`;
    history.replaceState(null, "", address);
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error());
    copied.then(() => this.toast("Link copied."), () => this.toast("The link is in the address bar."));
  }

  savePicture(): void {
    this.view.drawNow();
    this.view.renderer.domElement.toBlob((blob) => {
      if (blob === null) return this.toast("The browser gives no picture.");
      const link = el("a", {href: URL.createObjectURL(blob), download: `${this.recording.header.file.replace(/\.[^.]*$/, "")}_${this.player.time.toPrecision(4)}s.png`});
      link.click();
      URL.revokeObjectURL(link.href);
    }, "image/png");
  }

  toast(what: unknown): void {
    const text = what instanceof Error ? what.message : String(what);
    document.querySelector(".toast")?.remove();
    const toast = el("div", {class: "toast", role: "status"}, text);
    document.body.append(toast);
    setTimeout(() => toast.remove(), 4000);
  }
}
