import {
  Color, LinearSRGBColorSpace, MOUSE, NoToneMapping, OrthographicCamera, PerspectiveCamera, Scene, Sphere, TOUCH,
  Vector3, WebGLRenderer, WebGLRenderTarget,
} from "three";
import {OrbitControls} from "three/addons/controls/OrbitControls.js";
import type {Poses, Recording} from "../data/recording";
import {Bodies, bodySizes, turned} from "./bodies";
import {ContactLayers} from "./contacts";
import {JointLayer, kFirstJointId, makeAxes} from "./joints";
import {BodyTextures} from "./textures";

export type Side = "front" | "side" | "top" | "corner";

/** What is under the pointer. */
export interface Pick {
  body: number;
  contact: number;
  joint: number;
}

const kMaxAxes = 5000;
/** Moving bodies that the camera's first place is found from. */
const kExtentBodies = 30000;

/** The picture: bodies, contacts, joints, camera. Draws when something has changed, not all the time. */
export class View {
  readonly renderer: WebGLRenderer;
  readonly textures: BodyTextures;
  readonly bodies: Bodies;
  readonly contacts: ContactLayers;
  readonly joints: JointLayer | null;
  readonly axes;
  readonly controls: OrbitControls;
  readonly camera: PerspectiveCamera | OrthographicCamera;
  /** Ball and box around the bodies of the first frame: what "all" means to the camera. */
  readonly extent = new Sphere(new Vector3(), 1);
  private readonly half = new Vector3(1, 1, 1);
  readonly bodySize: number;
  readonly radii: Float32Array;
  private readonly boxes: Float32Array;
  readonly up = new Vector3(0, 0, 1);
  /** Seconds that drawing took, of the last pictures. */
  readonly frameTimes: number[] = [];
  pictures = 0;
  /** Before the first one nothing is drawn. */
  hasFrame = false;
  onCamera: () => void = () => undefined;

  private readonly scene = new Scene();
  private readonly pickTarget = new WebGLRenderTarget(1, 1);
  private isDirty = true;
  private readonly isPlanar: boolean;
  private fixedSize: [number, number] | null = null;

  constructor(private readonly recording: Recording, private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({canvas, antialias: recording.bodyCount < 20000, preserveDrawingBuffer: true});
    this.renderer.outputColorSpace = LinearSRGBColorSpace;  // the shaders work with colours as they are seen
    this.renderer.toneMapping = NoToneMapping;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.isPlanar = recording.header.dimension === 2;
    this.textures = new BodyTextures(recording);
    const {box, radius} = bodySizes(recording);
    this.boxes = box;
    this.radii = radius;
    this.bodySize = this.typicalSize();
    this.bodies = new Bodies(recording, this.textures);
    this.contacts = new ContactLayers(recording, this.textures, this.bodySize);
    this.joints = recording.hasReactions ? new JointLayer(recording, this.textures, this.bodySize) : null;
    const moving = recording.shapes.body.filter((body) => recording.kind[body] !== 1).subarray(0, kMaxAxes);
    this.axes = makeAxes(moving, this.textures, 1.3 * this.bodySize);
    this.axes.visible = false;
    this.scene.add(this.bodies.group, this.contacts.group, this.axes);
    if (this.joints !== null) this.scene.add(this.joints.marks, this.joints.forces);
    const [gx, gy, gz] = recording.gravity;
    if (this.isPlanar) this.up.set(0, 1, 0);
    else if (Math.hypot(gx, gy, gz) > 0) {
      // The axis nearest to "against gravity": a tilted gravity must not tilt the picture.
      const against = [-gx, -gy, -gz];
      const axis = [0, 1, 2].reduce((best, k) => (Math.abs(against[k]!) > Math.abs(against[best]!) ? k : best), 2);
      this.up.setScalar(0).setComponent(axis, Math.sign(against[axis]!) || 1);
    }
    this.textures.uniforms.uUp.value.copy(this.up);
    this.camera = this.isPlanar ? new OrthographicCamera(-1, 1, 1, -1, 0.1, 100) : new PerspectiveCamera(38, 1, 0.01, 100);
    this.camera.up.copy(this.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    this.controls.listenToKeyEvents(document.createElement("div"));  // keys are ours
    if (this.isPlanar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = {LEFT: MOUSE.PAN, MIDDLE: MOUSE.DOLLY, RIGHT: MOUSE.PAN};
      this.controls.touches = {ONE: TOUCH.PAN, TWO: TOUCH.DOLLY_PAN};
    }
    this.controls.addEventListener("change", () => {
      this.draw();
      this.onCamera();
    });
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
    const loop = (): void => {
      requestAnimationFrame(loop);
      if (!this.isDirty || !this.hasFrame) return;
      this.isDirty = false;
      this.drawNow();
    };
    requestAnimationFrame(loop);
  }

  private typicalSize(): number {
    const {kind} = this.recording;
    const moving = this.radii.filter((radius, i) => radius > 0 && kind[i] === 0).sort();
    const all = moving.length > 0 ? moving : this.radii.filter((radius) => radius > 0).sort();
    return all.length > 0 ? 2 * all[Math.floor(all.length / 2)]! : 1;
  }

  /** Says what "all" is: the bodies of some frames. Of many bodies the few that have flown away do not count. */
  setExtent(frames: Poses[]): void {
    const n = this.recording.bodyCount;
    // Of very many the camera needs no more than some.
    const stride = Math.ceil((n * frames.length) / kExtentBodies);
    const moving = [0, 1, 2].map(() => ({low: new Float64Array(kExtentBodies), high: new Float64Array(kExtentBodies)}));
    let count = 0;
    const [fixedFrom, fixedTo] = [new Vector3().setScalar(Infinity), new Vector3().setScalar(-Infinity)];
    for (const {position, orientation, presence} of frames)
      for (let i = 0; i < n; ++i) {
        const radius = this.radii[i]!;
        if (radius === 0 || (presence !== null && presence[i] !== 0)) continue;
        if (this.recording.kind[i] === 0) {
          if (i % stride !== 0) continue;
          for (let k = 0; k < 3; ++k) {
            const centre = this.recording.wrapped(position[3 * i + k]!, k);
            moving[k]!.low[count] = centre - radius;
            moving[k]!.high[count] = centre + radius;
          }
          ++count;
          continue;
        }
        for (let corner = 0; corner < 8; ++corner) {
          const [x, y, z] = [0, 1, 2].map((k) => this.boxes[6 * i + k + ((corner >> k) & 1 ? 3 : 0)]!);
          const offset = turned(orientation.subarray(4 * i, 4 * i + 4), x!, y!, z!);
          const p = new Vector3(...(offset.map((value, k) => this.recording.wrapped(position[3 * i + k]!, k) + value) as
                                    [number, number, number]));
          fixedFrom.min(p);
          fixedTo.max(p);
        }
      }
    const share = count > 200 ? 0.01 : 0;
    const at = (values: Float64Array, part: number): number =>
        count === 0 ? NaN : values.subarray(0, count).sort()[Math.round(part * (count - 1))]!;
    const movingFrom = new Vector3(...moving.map(({low}) => at(low, share)));
    const movingTo = new Vector3(...moving.map(({high}) => at(high, 1 - share)));
    if (fixedFrom.x > fixedTo.x) {
      fixedFrom.setScalar(NaN);
      fixedTo.setScalar(NaN);
    }
    const from = movingFrom.clone();
    const to = movingTo.clone();
    // A large floor must not make tiny what moves on it.
    const isLarge = fixedTo.distanceTo(fixedFrom) > 4 * movingTo.distanceTo(movingFrom);
    if (Number.isNaN(from.x)) {
      from.copy(fixedFrom);
      to.copy(fixedTo);
    } else if (!Number.isNaN(fixedFrom.x) && !isLarge) {
      from.min(fixedFrom);
      to.max(fixedTo);
    }
    if (Number.isNaN(from.x)) {
      from.setScalar(-1);
      to.setScalar(1);
    }
    this.setBox(from, to);
  }

  private setBox(low: Vector3, high: Vector3): void {
    this.extent.center.addVectors(low, high).multiplyScalar(0.5);
    this.half.subVectors(high, low).multiplyScalar(0.5);
    this.extent.radius = Math.max(this.half.length(), 1e-6);
    this.bodies.setExtent(this.extent);
    this.look(this.isPlanar ? "front" : "corner");
  }

  /** Seen from a side, everything in the picture. */
  look(side: Side): void {
    const {center, radius} = this.extent;
    const direction = new Vector3(0, 0, 1);
    if (!this.isPlanar) {
      const up = this.up;
      const ahead = new Vector3(0, -1, 0);
      if (Math.abs(up.dot(ahead)) > 0.9) ahead.set(0, 0, 1);
      const right = new Vector3().crossVectors(up, ahead).negate();
      if (side === "front") direction.copy(ahead);
      else if (side === "side") direction.copy(right).negate();
      else if (side === "top") direction.copy(up).addScaledVector(ahead, 1e-3);
      else direction.copy(ahead).addScaledVector(right, -0.62).addScaledVector(up, 0.55);
      direction.normalize();
    }
    this.controls.target.copy(center);
    this.fitCamera();
    if (this.camera instanceof PerspectiveCamera) {
      // As near as all eight corners of the box allow.
      const right = new Vector3().crossVectors(this.up, direction).normalize();
      const above = new Vector3().crossVectors(direction, right);
      const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
      let distance = 0;
      for (let corner = 0; corner < 8; ++corner) {
        const p = this.half.clone().multiply(new Vector3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1));
        const reach = Math.max(Math.abs(p.dot(above)) / tangent, Math.abs(p.dot(right)) / (tangent * this.camera.aspect));
        distance = Math.max(distance, p.dot(direction) + 1.12 * reach);
      }
      this.camera.position.copy(center).addScaledVector(direction, distance);
    } else {
      this.camera.position.copy(center).addScaledVector(direction, 5 * radius);
      this.camera.zoom = 1;
    }
    this.fitCamera();
    this.controls.update();
    this.draw();
    this.onCamera();
  }

  private fitCamera(): void {
    const [width, height] = this.size();
    const aspect = width / Math.max(height, 1);
    const reach = this.extent.radius;
    if (this.camera instanceof PerspectiveCamera) {
      this.camera.aspect = aspect;
      const distance = this.camera.position.distanceTo(this.extent.center);
      this.camera.near = Math.max(distance - 8 * reach, 2e-3 * Math.max(distance, 1e-2 * reach));
      this.camera.far = distance + 12 * reach;
    } else {
      const half = 1.08 * Math.max(this.half.y, this.half.x / aspect, 1e-6);
      this.camera.top = half;
      this.camera.bottom = -half;
      this.camera.left = -half * aspect;
      this.camera.right = half * aspect;
      this.camera.near = -1e3 * reach;
      this.camera.far = 1e3 * reach;
    }
    this.camera.updateProjectionMatrix();
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
    this.fitCamera();
    this.draw();
  }

  setBackground(css: string): void {
    this.scene.background = new Color().setStyle(css, LinearSRGBColorSpace);
    this.draw();
  }

  /** Asks for a picture with the next refresh of the screen. */
  draw(): void {
    this.isDirty = true;
  }

  drawNow(): void {
    const start = performance.now();
    this.fitCamera();
    this.textures.uniforms.uPixels.value = this.renderer.domElement.height;
    // The lamp stands beside the camera, above it: what one looks at is never in the dark.
    const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
    const back = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 2);
    this.textures.uniforms.uKey.value.copy(back).addScaledVector(right, -0.55).addScaledVector(this.up, 0.9).normalize();
    this.renderer.render(this.scene, this.camera);
    ++this.pictures;
    this.frameTimes.push((performance.now() - start) / 1000);
    if (this.frameTimes.length > 200) this.frameTimes.shift();
  }

  /** What is drawn at a point of the canvas, in CSS pixels from its upper left corner. */
  pick(x: number, y: number): Pick {
    const [width, height] = this.size();
    const {uniforms} = this.textures;
    this.camera.setViewOffset(width, height, x, y, 1, 1);
    uniforms.uIsPicking.value = true;
    this.contacts.preparePicking(true);
    const background = this.scene.background;
    this.scene.background = new Color(0, 0, 0);
    const hidden = [this.axes, ...(this.joints === null ? [] : [this.joints.forces])].filter((object) => object.visible);
    this.joints?.preparePicking(true);
    for (const object of hidden) object.visible = false;
    this.renderer.setRenderTarget(this.pickTarget);
    this.renderer.render(this.scene, this.camera);
    this.renderer.setRenderTarget(null);
    for (const object of hidden) object.visible = true;
    this.joints?.preparePicking(false);
    this.scene.background = background;
    this.contacts.preparePicking(false);
    uniforms.uIsPicking.value = false;
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

  /** Camera as text, for links: position, target, zoom. */
  cameraText(): string {
    const {position, zoom} = this.camera;
    const numbers = [...position.toArray(), ...this.controls.target.toArray(), zoom];
    return numbers.map((x) => Number(x.toPrecision(6))).join(",");
  }

  setCamera(text: string): boolean {
    const numbers = text.split(",").map(Number);
    if (numbers.length !== 7 || !numbers.every(Number.isFinite)) return false;
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.camera.zoom = numbers[6]!;
    this.fitCamera();
    this.controls.update();
    this.draw();
    return true;
  }

  /** Closer, without turning. */
  focus(center: Vector3, radius: number): void {
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(center);
    if (this.camera instanceof PerspectiveCamera) {
      const half = (this.camera.fov * Math.PI) / 360;
      this.camera.position.copy(center).addScaledVector(direction, radius / Math.sin(half));
    } else {
      this.camera.position.copy(center).addScaledVector(direction, 4 * this.extent.radius);
      this.camera.zoom = Math.max(this.half.y, this.half.x / this.camera.right * this.camera.top) / radius;
    }
    this.fitCamera();
    this.controls.update();
    this.draw();
    this.onCamera();
  }
}
