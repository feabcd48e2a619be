import {
  Color, LinearSRGBColorSpace, NoToneMapping, Scene, Vector3, WebGLRenderer, WebGLRenderTarget, type Box3, type Object3D,
} from "three";
import type {Poses, Recording} from "../data/recording";
import {Band} from "./band";
import {Bodies} from "./bodies";
import {Viewpoint, type Side} from "./camera";
import {ContactLayers} from "./contacts";
import {Effects} from "./effects";
import {boxAround} from "./extent";
import {kFirstJointId} from "./shaders";
import {JointLayer, makeAxes} from "./joints";
import {bodySizes, type Sizes} from "./sizes";
import {BodyTextures} from "./textures";
import {Trails} from "./trails";
import {VelocityArrows} from "./velocities";

export type {Side} from "./camera";

/** What is under the pointer. */
export interface Pick {
  body: number;
  contact: number;
  joint: number;
}

/** Shadows always; where drawing is slow only of a picture that stands; never. */
export type Shading = "always" | "still" | "off";

const kMaxAxes = 5000;
/** From so many bodies on, and without a graphics processor, shadows are for pictures that stand. */
const kManyBodies = 20000;
const kStillMilliseconds = 300;
/** Pixels of the lamp's picture on a side, with a graphics processor and without. */
const kShadowSize = {hardware: 2048, software: 1024};

/** The picture: bodies, contacts, joints, camera. Draws when something has changed, not all the time. */
export class View {
  readonly renderer: WebGLRenderer;
  readonly textures: BodyTextures;
  readonly bodies: Bodies;
  readonly contacts: ContactLayers;
  readonly joints: JointLayer | null;
  readonly velocities: VelocityArrows;
  readonly trails: Trails;
  readonly band = new Band();
  readonly axes;
  readonly viewpoint: Viewpoint;
  readonly bodySize: number;
  readonly sizes: Sizes;
  readonly up = new Vector3(0, 0, 1);
  shading: Shading = "still";
  /** Seconds that drawing took, of the last pictures. */
  readonly frameTimes: number[] = [];
  pictures = 0;
  /** Before the first one nothing is drawn. */
  hasFrame = false;
  onCamera: () => void = () => undefined;
  /** After every picture: what is written over it. */
  onDrawn: () => void = () => undefined;

  private readonly scene = new Scene();
  private readonly effects: Effects;
  private readonly pickTarget = new WebGLRenderTarget(1, 1);
  private isDirty = true;
  /** When the picture is to be drawn once more, with shadows; 0: it need not be. */
  private refineAt = 0;
  private readonly isPlanar: boolean;
  private fixedSize: [number, number] | null = null;

  constructor(private readonly recording: Recording, private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({canvas, antialias: recording.bodyCount < kManyBodies, preserveDrawingBuffer: true});
    this.renderer.outputColorSpace = LinearSRGBColorSpace;  // the shaders work with colours as they are seen
    this.renderer.toneMapping = NoToneMapping;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.isPlanar = recording.header.dimension === 2;
    this.textures = new BodyTextures(recording);
    this.sizes = bodySizes(recording);
    this.bodySize = this.typicalSize();
    this.bodies = new Bodies(recording, this.textures);
    this.contacts = new ContactLayers(recording, this.textures, this.bodySize);
    this.joints = recording.hasReactions ? new JointLayer(recording, this.textures, this.bodySize, this.sizes) : null;
    this.velocities = new VelocityArrows(recording, this.textures, this.bodySize);
    this.trails = new Trails(recording, this.textures);
    const moving = recording.shapes.body.filter((body) => recording.kind[body] !== 1).subarray(0, kMaxAxes);
    this.axes = makeAxes(moving, this.textures, 1.3 * this.bodySize);
    this.axes.visible = false;
    this.scene.add(this.bodies.group, ...this.marks());
    this.findUp();
    const isSoftware = this.isSoftware();
    this.effects = new Effects(this.renderer, this.textures.uniforms, 0.5 * this.bodySize, isSoftware ? kShadowSize.software : kShadowSize.hardware);
    if (this.isPlanar) this.shading = "off";
    else if (recording.bodyCount < kManyBodies && !isSoftware) this.shading = "always";
    this.viewpoint = new Viewpoint(canvas, this.isPlanar, this.up, () => {
      this.draw();
      this.onCamera();
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    const loop = (): void => {
      requestAnimationFrame(loop);
      if (!this.hasFrame) return;
      const mustRefine = this.refineAt > 0 && performance.now() > this.refineAt;
      if (this.isDirty) this.render(this.shading === "always");
      else if (mustRefine) this.render(true);
    };
    requestAnimationFrame(loop);
  }

  /** All that is drawn besides bodies. */
  private marks(): Object3D[] {
    const joints = this.joints === null ? [] : [this.joints.marks, this.joints.forces];
    return [this.contacts.group, this.axes, this.velocities.mesh, this.trails.lines, this.band.line, ...joints];
  }

  get camera() {
    return this.viewpoint.camera;
  }
  get controls() {
    return this.viewpoint.controls;
  }
  get extent() {
    return this.viewpoint.extent;
  }
  get radii(): Float32Array {
    return this.sizes.radius;
  }

  private isSoftware(): boolean {
    const gl = this.renderer.getContext();
    const names = gl.getExtension("WEBGL_debug_renderer_info");
    const name = names === null ? "" : String(gl.getParameter(names.UNMASKED_RENDERER_WEBGL));
    return /swiftshader|llvmpipe|software/i.test(name);
  }

  private findUp(): void {
    const [gx, gy, gz] = this.recording.gravity;
    if (this.isPlanar) this.up.set(0, 1, 0);
    else if (Math.hypot(gx, gy, gz) > 0) {
      // The axis nearest to "against gravity": a tilted gravity must not tilt the picture.
      const against = [-gx, -gy, -gz];
      const axis = [0, 1, 2].reduce((best, k) => (Math.abs(against[k]!) > Math.abs(against[best]!) ? k : best), 2);
      this.up.setScalar(0).setComponent(axis, Math.sign(against[axis]!) || 1);
    }
    this.textures.uniforms.uUp.value.copy(this.up);
  }

  private typicalSize(): number {
    const {kind} = this.recording;
    const moving = this.radii.filter((radius, i) => radius > 0 && kind[i] === 0).sort();
    const all = moving.length > 0 ? moving : this.radii.filter((radius) => radius > 0).sort();
    return all.length > 0 ? 2 * all[Math.floor(all.length / 2)]! : 1;
  }

  /** Says what "everything" is, and how far planes and shadows reach: the bodies of some frames. */
  setExtent(frames: Poses[]): void {
    if (frames[0] !== undefined && !this.hasFrame) this.textures.setPoses(frames[0]);
    const box = this.box(frames);
    this.bodies.setExtent(box, this.up);
    this.joints?.setExtent(frames);
    this.viewpoint.setBox(box);
    const {ahead, right} = this.viewpoint.front;
    const sun = this.up.clone().addScaledVector(ahead, 0.32).addScaledVector(right, -0.42).normalize();
    this.effects.aim(this.extent, sun);
    const {camera} = this.recording;
    if (camera === null || !this.setCamera(`${[...camera].join(",")},1`)) this.look(this.isPlanar ? "front" : "corner");
  }

  /** What is there in one frame is what "everything" is to the camera. */
  gather(frame: Poses): void {
    this.viewpoint.setBox(this.box([frame]));
  }

  private box(frames: Poses[]): Box3 {
    return boxAround(this.recording, this.sizes, frames, (body) => this.textures.hidden[body] !== 0);
  }

  look(side: Side): void {
    this.viewpoint.look(side);
  }

  setPoses(poses: Poses): void {
    this.textures.setPoses(poses);
    this.effects.touch();
    this.hasFrame = true;
  }

  /** What has been hidden, cut or made glass throws other shadows. */
  redraw(): void {
    this.effects.touch();
    this.draw();
  }

  private size(): [number, number] {
    if (this.fixedSize !== null) return this.fixedSize;
    const box = this.canvas.parentElement!.getBoundingClientRect();
    return [Math.max(box.width, 1), Math.max(box.height, 1)];
  }

  /** A size in pixels, whatever the window is: for pictures to files. */
  setFixedSize(width: number, height: number): void {
    this.fixedSize = [width, height];
    this.renderer.setPixelRatio(1);
    this.resize();
  }

  resize(): void {
    const [width, height] = this.size();
    this.renderer.setSize(width, height, this.fixedSize === null);
    if (this.fixedSize === null) {
      this.canvas.style.width = "100%";
      this.canvas.style.height = "100%";
    }
    this.viewpoint.setSize(width, height);
    this.draw();
  }

  setBackground(css: string): void {
    const colour = new Color().setStyle(css, LinearSRGBColorSpace);
    this.scene.background = colour;
    this.joints?.setInk(colour.g < 0.5);
    this.draw();
  }

  /** Asks for a picture with the next refresh of the screen. */
  draw(): void {
    this.isDirty = true;
  }

  /** The picture as it is when it stands. */
  drawNow(): void {
    this.render(this.shading !== "off");
  }

  private render(hasShadows: boolean): void {
    const start = performance.now();
    this.isDirty = false;
    this.refineAt = this.shading === "still" && !hasShadows ? start + kStillMilliseconds : 0;
    this.viewpoint.fit();
    const {uniforms} = this.textures;
    uniforms.uPixels.value = this.renderer.domElement.height;
    // The lamp stands beside the camera, above it: what one looks at is never in the dark.
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const back = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 2);
    uniforms.uKey.value.copy(back).addScaledVector(right, -0.55).addScaledVector(this.up, 0.9).normalize();
    if (hasShadows)
      this.effects.make(this.camera, (camera, throwsShadows) => this.bare(() => this.bodies.whileSolid(throwsShadows, () =>
        this.renderer.render(this.scene, camera))));
    this.bodies.setMode(hasShadows ? "shaded" : "plain");
    this.renderer.render(this.scene, this.camera);
    ++this.pictures;
    this.frameTimes.push((performance.now() - start) / 1000);
    if (this.frameTimes.length > 200) this.frameTimes.shift();
    this.onDrawn();
  }

  /** Draws bodies alone, each in the colour of its number. */
  private bare(draw: () => void, shown: Object3D[] = []): void {
    const {uniforms} = this.textures;
    const hidden = this.marks().filter((mark) => mark.visible && !shown.includes(mark));
    const background = this.scene.background;
    for (const mark of hidden) mark.visible = false;
    uniforms.uIsPicking.value = true;
    this.bodies.setMode("bare");
    this.scene.background = null;
    draw();
    this.bodies.setMode("plain");
    this.scene.background = background;
    uniforms.uIsPicking.value = false;
    for (const mark of hidden) mark.visible = true;
  }

  /** What is drawn at a point of the canvas, in CSS pixels from its upper left corner. */
  pick(x: number, y: number): Pick {
    const [width, height] = this.size();
    this.camera.setViewOffset(width, height, x, y, 1, 1);
    this.contacts.preparePicking(true);
    this.joints?.preparePicking(true);
    this.renderer.setRenderTarget(this.pickTarget);
    this.bare(() => {
      this.scene.background = new Color(0, 0, 0);
      this.renderer.render(this.scene, this.camera);
    }, [this.contacts.group, ...(this.joints === null ? [] : [this.joints.marks])]);
    this.renderer.setRenderTarget(null);
    this.joints?.preparePicking(false);
    this.contacts.preparePicking(false);
    this.camera.clearViewOffset();
    const pixel = new Uint8Array(4);
    this.renderer.readRenderTargetPixels(this.pickTarget, 0, 0, 1, 1, pixel);
    const id = pixel[0]! + 256 * pixel[1]! + 65536 * pixel[2]! - 1;
    const n = this.recording.bodyCount;
    const isJoint = id >= kFirstJointId;
    return {
      body: id >= 0 && id < n ? id : -1, contact: id >= n && !isJoint ? id - n : -1, joint: isJoint ? id - kFirstJointId : -1,
    };
  }

  /** Where a point of the world is in the canvas, in CSS pixels. */
  project(point: Vector3): [number, number] {
    const p = point.clone().project(this.camera);
    const [width, height] = this.size();
    return [(0.5 + 0.5 * p.x) * width, (0.5 - 0.5 * p.y) * height];
  }

  cameraText(): string {
    return this.viewpoint.text();
  }
  setCamera(text: string): boolean {
    return this.viewpoint.setText(text);
  }
  focus(center: Vector3, radius: number): void {
    this.viewpoint.focus(center, radius);
  }

  /** Cuts away a part of the box around everything. @param axis 0, 1, 2; -1: nothing is cut. @param part 0 to 1 of it stays. */
  setCut(axis: number, part: number): void {
    const {center, radius} = this.extent;
    const {uCut} = this.textures.uniforms;
    uCut.value.set(0, 0, 0, 0);
    if (axis >= 0) {
      uCut.value.setComponent(axis, axis === 1 ? -1 : 1);  // one looks along y: what is nearer goes
      uCut.value.w = center.getComponent(axis) * (axis === 1 ? -1 : 1) + (2 * part - 1) * radius;
    }
    this.bodies.setCut(axis >= 0);
    this.redraw();
  }
}
