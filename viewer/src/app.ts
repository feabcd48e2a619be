// The page: joins record, picture and controls, keeps what is chosen in the address.
import {Vector3} from "three";
import {Certificates, type StepCertificate} from "./data/certificates";
import type {Recording} from "./data/recording";
import {AnotherRunError, HttpSource} from "./data/source";
import {Player, type FrameData} from "./player";
import {Colours, type Coloring} from "./scene/colours";
import {contactFacts, type ContactLayer} from "./scene/contacts";
import {View, type Side} from "./scene/view";
import {CertificatePanel} from "./ui/certificate";
import {displayPanel} from "./ui/display";
import {button, el, section, select} from "./ui/elements";
import {EventList} from "./ui/events";
import {Inspector} from "./ui/inspector";
import {actionOf, keyList} from "./ui/keys";
import {MachineTable} from "./ui/machine";
import {matches, toggled} from "./ui/names";
import {Options} from "./ui/options";
import {LegendBox} from "./ui/legend";
import {Pictures} from "./ui/pictures";
import {Plots} from "./ui/plots";
import {Pull} from "./ui/pull";
import {SensorTable} from "./ui/sensors";

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 4, 10];
/** How often the record is looked at: while its run continues, and when it has ended and might be written anew. */
const kPollMilliseconds = {running: 500, ended: 1000};

export class App {
  readonly view: View;
  readonly player: Player;
  readonly colours: Colours;
  readonly plots: Plots;
  readonly inspector: Inspector;
  readonly events: EventList;
  readonly options = new Options(() => this.keepLink());
  readonly root = document.getElementById("app")!;
  /** Fields of the panel: which bodies are hidden, and which alone are shown. */
  readonly nameInputs: Partial<Record<"hide" | "only", HTMLInputElement>> = {};
  /** Tells pages beside this one what is shown here. */
  onMoved: (time: number, camera: string) => void = () => undefined;

  private readonly legend = new LegendBox();
  private readonly pictures = new Pictures(this);
  private readonly status = el("span", {class: "status"});
  private readonly facts = el("span", {class: "facts"});
  private readonly output = el("output", {name: "time"});
  private readonly range = el("input", {type: "range", min: "0", max: "0", step: "1", value: "0", "aria-label": "Frame"});
  private readonly playButton: HTMLButtonElement;
  private readonly speedList: HTMLLabelElement;
  private readonly followButton: HTMLButtonElement;
  private readonly runButtons: HTMLElement;
  private readonly help = el("dialog", {}, keyList(),
    el("p", {}, "Drag turns, with the right button moves, the wheel zooms; click selects, double click goes there. " +
      "With Ctrl held down, dragging pulls a body of a run that continues."));
  private readonly certificates: Certificates;
  private readonly certificatePanel: CertificatePanel;
  private readonly machine: MachineTable | null;
  private readonly sensors: SensorTable | null;
  readonly pull: Pull;
  private hasExtent = false;
  private linkTimer = 0;
  /** A time that a link names and that the run has not reached yet. */
  private awaited = 0;
  /** Where the body that is followed was in the last picture. */
  private followed: Vector3 | null = null;
  private isLed = false;

  constructor(readonly recording: Recording, private readonly failure: (error: unknown) => void) {
    const {header} = recording;
    document.title = `${header.title || header.file} · Talus`;
    const canvas = el("canvas", {tabindex: "0", "aria-label": "Bodies and contacts"});
    const scene = el("div", {class: "scene"}, canvas, this.legend.element);
    this.player = new Player(recording);
    this.events = new EventList(recording);
    this.events.onJump = (frame) => {
      this.player.pause();
      void this.player.jump(frame);
    };
    this.playButton = button("▶", "Play (Space)", () => this.player.toggle(), "play");
    this.followButton = button("Live", "Show every new frame as it comes", () => this.setFollow(!this.player.follows), "follow");
    const tell = (command: string) => (recording.source as HttpSource).steer(command);
    const steer = (command: string) => () => void tell(command);
    this.runButtons = el("span", {class: "run", title: "The run itself"}, button("Run ❚❚", "Pause the run", steer("pause"), "run-pause"),
                         button("Run ▶|", "One step of the run", steer("step"), "run-step"), button("Run ▶", "Let the run go on", steer("go"), "run-go"));
    this.speedList = select("", "speed", kSpeeds.map((speed) => [String(speed), `${speed}×`]), "1", (text) => {
      this.player.speed = Number(text);
    });
    const theme = button("◐", "Dark or light (D)", () => this.toggleTheme(), "theme");
    this.root.replaceChildren(
        el("header", {class: "bar"}, el("h1", {}, header.title || header.file), this.status, this.facts,
           button("Worst contact", "The worst contact of the worst step (W)", () => void this.showWorst(), "worst"),
           button("Link", "Copy a link with camera and time", () => this.copyLink(), "link"),
           button("Picture", "Save the picture (S)", () => this.pictures.save(), "picture"), this.pictures.filmButton, theme,
           button("?", "Keys", () => this.help.showModal(), "help")),
        scene, this.pictures.overlay, el("aside", {class: "panel"}),
        el("footer", {class: "time"}, button("|‹", "First frame (Home)", () => void this.player.jump(0), "first"),
           button("‹", "Frame before (←)", () => this.player.step(-1), "back"), this.playButton,
           button("›", "Frame after (→)", () => this.player.step(1), "forward"),
           button("›|", "Last frame (End)", () => void this.player.jump(recording.frameCount - 1), "last"),
           this.speedList, el("div", {class: "track"}, this.range, this.events.marks), this.output, this.runButtons, this.followButton,
           el("span", {class: "only-narrow"}, button("☰", "Panel", () => this.togglePanel(), "panel"))),
        this.help);
    this.view = new View(recording, canvas);
    this.pull = new Pull(this.view, recording, tell, () => !this.runButtons.hidden);
    // Of the speed that a fall through one body gives.
    this.colours = new Colours(recording, 0.01 * Math.sqrt(Math.hypot(...recording.gravity) * this.view.bodySize));
    this.inspector = new Inspector(recording);
    this.plots = new Plots(recording, (time) => void this.player.seek(time), (error) => this.fail(error, "toast"));
    if (header.dimension === 3)
      scene.append(el("div", {class: "views"}, ...(["front", "side", "top", "corner"] as Side[]).map((side, i) =>
        button(side, `Look from the ${side} (${i + 1})`, () => this.view.look(side), side)),
        button("fit", "What is there now fills the picture (F)", () => this.fit(), "fit")));
    this.certificates = new Certificates(recording);
    this.certificatePanel = new CertificatePanel(recording, (body, contact) => {
      this.options.set("points", true);
      this.selectThing(body, contact);
    });
    this.machine = recording.hasReactions ? new MachineTable(recording, (joint) => this.selectThing(-1, -1, joint),
      (name) => this.plots.add({key: name, title: name, names: [name]})) : null;
    this.sensors = recording.sensors.list.length > 0 ? new SensorTable(recording.sensors.list,
      (title, name) => this.plots.add({key: name, title, names: [name]})) : null;
    this.fillPanel(this.root.querySelector(".panel")!);
    this.connect(canvas);
    this.setTheme(localStorage.getItem("talus-theme") ??
                  (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
    this.showStatus();
  }

  private fillPanel(panel: Element): void {
    const {recording} = this;
    const facts = recording.header.provenance;
    const origin = section("Record", false, el("table", {class: "inspector"}, ...[
      ["file", recording.header.file], ["bodies", String(recording.bodyCount)], ["started", facts["start_time"]],
      ["command", facts["command_line"]], ["version", `${facts["version"]} ${facts["git_commit"]?.slice(0, 10)}`],
      ["machine", facts["machine"]],
    ].map(([name, text]) => el("tr", {}, el("th", {}, name ?? ""), el("td", {}, text ?? "")))));
    const [display, more] = displayPanel(this);
    panel.append(section("Selection", true, this.inspector.element), section("Display", true, ...display),
                 section("Camera, cuts, bodies to see", false, ...more),
                 section("Certificate of the step", true, this.certificatePanel.element),
                 ...(this.machine === null ? [] : [section("Machine", true, this.machine.element)]),
                 ...(this.sensors === null ? [] : [section("Sensors", true, this.sensors.element)]),
                 ...(recording.events === null ? [] : [section("Events", true, this.events.element)]),
                 section("Plots", true, this.plots.element), origin);
  }

  private connect(canvas: HTMLCanvasElement): void {
    const {player, view, inspector} = this;
    player.needs = () => ({
      velocities: this.colours.coloring === "speed" || inspector.body >= 0 || view.velocities.mesh.visible,
      contacts: view.contacts.isShown || this.colours.coloring === "contacts" || inspector.body >= 0 || inspector.contact >= 0,
    });
    player.onFrame = (frame) => this.showFrame(frame);
    player.onState = () => {
      this.showPlayState();
      this.keepLink();
    };
    player.onError = (error) => this.fail(error);
    view.onCamera = () => {
      this.keepLink();
      this.tellMoved();
    };
    view.onDrawn = () => this.pictures.drawOverlay();
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
    canvas.addEventListener("pointermove", (event) => {
      const joint = view.joints?.near(event.offsetX, event.offsetY, (point) => view.project(point)) ?? -1;
      canvas.title = joint < 0 ? "" : this.recording.joints!.name[joint]!;
    });
    canvas.addEventListener("dblclick", () => this.focus());
    inspector.onSelect = (body, contact, joint) => this.selectThing(body, contact, joint);
    inspector.onFocus = () => this.focus();
    inspector.onPresence = (what) => this.togglePresence(what);
    inspector.onPlot = (title, names) => this.plots.add({key: names[0]!, title, names});
    window.addEventListener("keydown", (event) => this.onKey(event));
    window.addEventListener("hashchange", () => this.followLink());
  }

  /** @param how a part of the page that fails is said in passing. */
  private fail(error: unknown, how: "page" | "toast" = "page"): void {
    if (error instanceof AnotherRunError) this.reload();
    else if (how === "toast") this.toast(error);
    else this.failure(error);
  }

  /** The record has been written anew: from the beginning, with camera, time and all that is chosen. */
  private reload(): void {
    history.replaceState(null, "", `#${this.linkWords()}`);
    location.reload();
  }

  async start(): Promise<void> {
    if (this.recording.frameCount > 0) {
      await this.showFirst();
    } else if (!this.recording.isRunning) {
      this.toast("This record has no frames.");
    }
    this.readCertificates().catch((error: unknown) => this.fail(error, "toast"));
    this.plots.reload().catch((error: unknown) => this.fail(error, "toast"));
    if (this.recording.isRunning && location.hash === "") this.setFollow(true);
    if (this.recording.source.isLive) void this.watch();
  }

  private async showFirst(): Promise<void> {
    this.range.max = String(Math.max(this.recording.frameCount - 1, 0));
    if (!this.hasExtent) {
      this.view.setExtent(await Promise.all(this.recording.overview.map((frame) => this.recording.poses(frame))));
      this.hasExtent = true;
    }
    if (!this.followLink()) await this.player.show(0);
  }

  /** Asks what has become of the record: what its run has added, or that it is of another run. */
  private async watch(): Promise<void> {
    for (;;) {
      const {isRunning} = this.recording;
      await new Promise((resolve) => setTimeout(resolve, isRunning ? kPollMilliseconds.running : kPollMilliseconds.ended));
      try {
        const hasNews = await this.recording.refresh(await this.recording.source.progress());
        if (hasNews || isRunning !== this.recording.isRunning) await this.takeUp();
      } catch (error) {
        // A record that has ended is there already; that it is being replaced, or the server is gone, is not its end.
        if (isRunning && !(error instanceof AnotherRunError)) return this.failure(error);
        if (error instanceof AnotherRunError) return this.reload();
      }
    }
  }

  private async takeUp(): Promise<void> {
    this.showStatus();
    if (!this.hasExtent && this.recording.frameCount > 0) await this.showFirst();
    this.range.max = String(Math.max(this.recording.frameCount - 1, 0));
    this.events.reload();
    if (this.awaited > 0) void this.player.seek(this.awaited);
    if (this.awaited <= (this.recording.frameTime.at(-1) ?? 0)) this.awaited = 0;
    if (this.player.follows) await this.player.show(this.recording.frameCount - 1);
    else if (this.player.current !== null) this.showTime(this.player.current);
    await this.readCertificates();
    await this.plots.reload();
    if (!this.recording.isRunning) this.setFollow(false);
  }

  private setFollow(isOn: boolean): void {
    this.player.pause();
    this.player.follows = isOn && this.recording.isRunning;
    this.showPlayState();
    if (this.player.follows) void this.player.show(this.recording.frameCount - 1);
  }

  private async readCertificates(): Promise<void> {
    await this.certificates.read();
    if (this.player.current === null) return;
    this.showCertificate(this.player.current);
    if (this.colours.coloring === "certificate") this.paint(this.player.current);
  }

  private showCertificate(frame: FrameData): StepCertificate | null {
    const certificate = this.certificates.ofFrame(frame.index);
    this.certificatePanel.show(certificate, this.recording.isStart(frame.index));
    return certificate;
  }

  private showFrame(frame: FrameData): void {
    this.view.setPoses(frame.poses);
    if (frame.contacts !== null && this.view.contacts.isShown) this.view.contacts.set(frame.contacts);
    if (frame.velocities !== null && this.view.velocities.mesh.visible) this.view.velocities.set(frame.velocities);
    this.view.trails.body = this.inspector.body;
    this.view.trails.show(frame.index).then((isNew) => isNew && this.view.draw(), (error: unknown) => this.fail(error));
    this.view.joints?.set(frame.reactions);
    this.machine?.show(frame.reactions);
    this.sensors?.show(frame.readings);
    this.followBody();
    this.pull.show();
    this.paint(frame);
    this.showCertificate(frame);
    this.inspector.show(frame);
    this.showTime(frame);
    this.view.draw();
    this.keepLink();
    this.tellMoved();
  }

  beginFollowing(): void {
    this.followed = null;
    this.followBody();
  }
  /** The body that is followed stays where it is in the picture. */
  private followBody(): void {
    const {body} = this.inspector;
    if (this.options.get("follow") !== "1" || body < 0) {
      this.followed = null;
      return;
    }
    const now = this.view.textures.position(body);
    if (this.followed !== null) this.view.viewpoint.moveBy(now.clone().sub(this.followed));
    this.followed = now;
  }

  private tellMoved(): void {
    if (!this.isLed && this.hasExtent && this.player.current !== null) this.onMoved(this.player.time, this.view.cameraText());
  }
  /** To what another page shows. */
  moveTo(time: number, camera: string): void {
    this.isLed = true;
    if (this.view.cameraText() !== camera) this.view.setCamera(camera);
    void this.player.show(this.recording.nearestFrame(time)).then(() => {
      this.isLed = false;
    });
  }

  private paint(frame: FrameData): void {
    const certificate = this.certificates.ofFrame(frame.index);
    if (this.colours.make({...frame, certificate})) this.view.textures.setColours(this.colours.bytes);
    this.showLegends();
    this.view.draw();
  }

  showLegends(): void {
    this.legend.show(this.pictures.legends);
  }

  /** The picture with legend, time and scale, for files. */
  picture(isPlain = false): HTMLCanvasElement {
    return this.pictures.make(isPlain);
  }

  timeText(time: number): string {
    const end = this.recording.frameTime.at(-1) ?? 0;
    return time.toFixed(Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.max(end, 1e-6))))));
  }

  private showTime(frame: FrameData): void {
    this.range.value = String(frame.index);
    const time = this.recording.frameTime[frame.index]!;
    this.output.value = `${this.timeText(time)} / ${this.timeText(this.recording.frameTime.at(-1)!)} s`;
    this.output.title = `frame ${frame.index + 1} of ${this.recording.frameCount}, step ${this.recording.frameStep[frame.index]}`;
    this.plots.setTime(time);
    this.events.setTime(time);
  }

  private showStatus(): void {
    const {header} = this.recording;
    this.status.textContent = header.status;
    this.status.dataset["status"] = header.status;
    this.facts.textContent = `${this.recording.bodyCount} bodies · ${this.recording.stepTime.length} steps · ` +
        `${this.recording.frameCount} frames`;
    this.runButtons.hidden = !this.recording.isRunning || header.is_steered !== true;
    this.showPlayState();
  }

  private showPlayState(): void {
    this.playButton.textContent = this.player.isPlaying ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-pressed", String(this.player.isPlaying));
    this.followButton.setAttribute("aria-pressed", String(this.player.follows));
    this.followButton.hidden = !this.recording.isRunning;
    this.pictures.followPlayer();
  }

  setColoring(coloring: Coloring): void {
    this.colours.coloring = coloring;
    void this.player.refresh();
  }

  showLayer(layer: ContactLayer, isOn: boolean): void {
    this.view.contacts.show(layer, isOn);
    void this.player.refresh();
    this.view.draw();
  }

  /** Hides what the two fields say. */
  choosePresence(): void {
    const [hide, only] = [this.nameInputs.hide!.value, this.nameInputs.only!.value];
    const [isHidden, isAlone] = [matches(hide), matches(only)];
    const {recording} = this;
    const {hidden} = this.view.textures;
    if (`${hide}${only}`.trim() === "") {
      if (!hidden.includes(2)) return;
      hidden.fill(0);
    } else {
      for (let body = 0; body < recording.bodyCount; ++body) {
        const name = recording.bodyName(body);
        hidden[body] = isHidden(name) || (only.trim() !== "" && !isAlone(name)) ? 2 : 0;
      }
    }
    if (this.player.current !== null) this.view.setPoses(this.player.current.poses);
    this.view.draw();
    this.keepLink();
  }
  /** Hides the selected body, or shows it alone; once more, and all is as it was. */
  togglePresence(what: "hide" | "only"): void {
    const {body} = this.inspector;
    const field = this.nameInputs[what]!;
    if (body < 0 && what === "hide") return;
    field.value = what === "hide" ? toggled(field.value, this.recording.bodyName(body))
        : field.value !== "" || body < 0 ? "" : this.recording.bodyName(body);
    this.choosePresence();
  }

  private choose(body: number, contact: number, joint: number): void {
    Object.assign(this.inspector, {body, contact, joint});
    this.view.textures.uniforms.uSelected.value = body;
    this.view.contacts.select(contact);
    this.view.joints?.select(joint);
    this.beginFollowing();
  }

  /** Selects one of the three, or with -1 each nothing. */
  selectThing(body: number, contact: number, joint = -1): void {
    this.choose(body, contact, joint);
    void this.player.refresh();
    this.view.draw();
    this.keepLink();
  }

  fit(): void {
    if (this.player.current === null) return;
    this.view.gather(this.player.current.poses);
    this.view.viewpoint.fitAll();
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
      this.fit();
    }
  }

  /** Goes to the step with the largest residual, and to the contact that has most of it. */
  async showWorst(): Promise<void> {
    if (this.certificates.count === 0) await this.readCertificates();
    if (this.certificates.count === 0) return this.toast("This record has no steps yet.");
    const worst = this.certificates.worstRow();
    const {text, contact: named, bodyA, bodyB} = this.certificates.ofRow(worst);
    const step = worst + this.recording.firstStep;
    const {frameStep} = this.recording;
    let frame = frameStep.findIndex((number) => number >= step);
    if (frame < 0) frame = frameStep.length - 1;
    this.player.pause();
    const isRecorded = frameStep[frame] === step;
    const contact = isRecorded ? named : -1;
    if (contact >= 0) this.options.set("points", true);
    this.choose(contact >= 0 ? -1 : bodyB, contact, -1);
    await this.player.show(frame);
    if (contact >= 0 || this.inspector.body >= 0) this.focus();
    this.toast(`Worst step: ${step}, ${text}` +
               (bodyA < 0 ? "; it names no contact" : isRecorded ? "" : "; the nearest recorded frame is shown"));
  }

  private onKey(event: KeyboardEvent): void {
    const action = this.help.open ? undefined : actionOf(event);
    if (action === undefined) return;
    event.preventDefault();
    const step = event.shiftKey ? 10 : 1;
    const actions: Record<string, () => void> = {
      play: () => this.player.toggle(),
      forward: () => this.player.step(step),
      back: () => this.player.step(-step),
      first: () => void this.player.jump(0),
      last: () => void this.player.jump(this.recording.frameCount - 1),
      faster: () => this.changeSpeed(1),
      slower: () => this.changeSpeed(-1),
      fit: () => this.fit(),
      event: () => this.events.step(event.shiftKey ? -1 : 1),
      hide: () => this.togglePresence("hide"),
      only: () => this.togglePresence("only"),
      worst: () => void this.showWorst(),
      look: () => this.focus(),
      picture: () => this.pictures.save(),
      theme: () => this.toggleTheme(),
      nothing: () => this.selectThing(-1, -1),
      help: () => this.help.showModal(),
    };
    if (["front", "side", "top", "corner"].includes(action)) this.view.look(action as Side);
    else (actions[action] ?? (() => this.options.flip(action)))();
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
    words.set("t", String(this.awaited || this.player.time));
    words.set("cam", this.view.cameraText());
    this.options.write(words);
    for (const [name, field] of Object.entries(this.nameInputs)) if (field.value !== "") words.set(name, field.value);
    const {body, contact, joint} = this.inspector;
    if (joint >= 0) words.set("joint", this.recording.joints!.name[joint]!);
    if (body >= 0) words.set("body", this.recording.bodyName(body));
    if (contact >= 0) words.set("contact", String(contact));
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
    if (words.size === 0) return false;
    this.player.follows = false;
    this.options.read(words);
    for (const [name, field] of Object.entries(this.nameInputs)) field.value = words.get(name) ?? "";
    this.choosePresence();
    const index = (name: string, find: (text: string) => number): number => (words.has(name) ? find(words.get(name)!) : -1);
    this.selectThing(index("body", (name) => this.recording.findBody(name)), index("contact", Number),
                     index("joint", (name) => this.recording.joints?.name.indexOf(name) ?? -1));
    const camera = words.get("cam");
    if (camera !== null) this.view.setCamera(camera);
    const time = Number(words.get("t") ?? this.player.time) || 0;
    this.awaited = this.recording.isRunning && time > (this.recording.frameTime.at(-1) ?? 0) ? time : 0;
    void this.player.seek(time);
    return true;
  }

  private copyLink(): void {
    const address = `${location.href.split("#")[0]}#${this.linkWords()}`;
    history.replaceState(null, "", address);
    const copied = navigator.clipboard?.writeText(address) ?? Promise.reject(new Error());
    copied.then(() => this.toast("Link copied."), () => this.toast("The link is in the address bar."));
  }

  toast(what: unknown): void {
    const text = what instanceof Error ? what.message : String(what);
    document.querySelector(".toast")?.remove();
    const toast = el("div", {class: "toast", role: "status"}, text);
    document.body.append(toast);
    setTimeout(() => toast.remove(), 4000);
  }
}
