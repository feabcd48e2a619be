import {
  BufferAttribute, BufferGeometry, DoubleSide, FrontSide, GLSL3, Group, InstancedBufferAttribute, InstancedBufferGeometry, Mesh,
  ShaderMaterial, Sphere, Vector3,
} from "three";
import type {Recording, Shapes} from "../data/recording";
import * as geometries from "./geometries";
import {kSolidFragment, kSolidVertex, kSphereFragment, kSphereVertex} from "./shaders";
import type {BodyTextures} from "./textures";

/** Codes of /bodies/shape. */
export const kShapeNames = ["sphere", "plane", "box", "capsule", "polytope", "mesh", "compound", "cylinder", "pipe"];
const [kSphere, kPlane, kBox, kCapsule, kPolytope, kMesh, kCompound, kCylinder, kPipe] = kShapeNames.keys();

/** How bodies are drawn: silos and boxes hide what is inside, and grains the force chains between them. */
export type Style = "solid" | "glass" | "hidden";

/** Instances of one shape, one surface and one style, as the graphics processor gets them. */
interface Batch {
  code: number;
  isWall: boolean;
  /** Of surfaces, which; of pipes, 1 if they have ends. */
  which: number;
  count: number;
  body: Float32Array;
  position: Float32Array;
  /** x, y, z, w */
  rotation: Float32Array;
  size: Float32Array;
  stretch: Float32Array;
}

/** A triangle per ball, three corners each: as instances they would be far slower on some graphics processors. */
function sphereGeometry(batch: Batch): BufferGeometry {
  const geometry = new BufferGeometry();
  const thrice = (name: string, values: Float32Array, width: number, stride: number): void => {
    const all = new Float32Array(3 * width * batch.count);
    for (let i = 0, at = 0; i < batch.count; ++i)
      for (let corner = 0; corner < 3; ++corner)
        for (let k = 0; k < width; ++k) all[at++] = values[stride * i + k]!;
    geometry.setAttribute(name, new BufferAttribute(all, width));
  };
  thrice("aBody", batch.body, 1, 1);
  thrice("aPosition", batch.position, 3, 3);
  thrice("aRadius", batch.size, 1, 3);
  geometry.setDrawRange(0, 3 * batch.count);
  return geometry;
}

/** All bodies, as a few meshes with an instance per body or part. */
export class Bodies {
  readonly group = new Group();
  /** Fixed and kinematic bodies but for planes, and all others. */
  private readonly walls: Mesh[] = [];
  private readonly moving: Mesh[] = [];
  private readonly planes: ShaderMaterial[] = [];

  constructor(private readonly recording: Recording, private readonly textures: BodyTextures) {
    const batches = new Map<number, Batch>();
    const all = recording.parts === null ? [recording.shapes] : [recording.shapes, recording.parts];
    for (const shapes of all) this.collect(shapes, batches, false);
    for (const batch of batches.values()) {
      for (const [name, width] of [["body", 1], ["position", 3], ["rotation", 4], ["size", 3], ["stretch", 1]] as const)
        batch[name] = new Float32Array(width * batch.count);
      batch.count = 0;
    }
    for (const shapes of all) this.collect(shapes, batches, true);
    for (const batch of batches.values()) this.addMesh(batch);
  }

  /** Counts the instances of each batch, or fills them in. */
  private collect(shapes: Shapes, batches: Map<number, Batch>, isFilling: boolean): void {
    const none = new Float32Array(0);
    for (let i = 0; i < shapes.count; ++i) {
      const code = shapes.shape[i]!;
      if (code === kCompound) continue;
      const body = shapes.body[i]!;
      const isWall = this.recording.kind[body] !== 0;  // drawn in its own style
      const [a, b, c] = [shapes.size[3 * i]!, shapes.size[3 * i + 1]!, shapes.size[3 * i + 2]!];
      const isSurface = code === kPolytope || code === kMesh;
      const which = isSurface ? shapes.surface![i]! : code === kPipe && c > 0 ? 1 : 0;
      const key = code + 16 * (2 * which + (isWall ? 1 : 0));
      let batch = batches.get(key);
      if (batch === undefined) {
        batch = {code, isWall, which, count: 0, body: none, position: none, rotation: none, size: none, stretch: none};
        batches.set(key, batch);
      }
      const at = batch.count++;
      if (!isFilling) continue;
      batch.body[at] = body;
      for (let k = 0; k < 3; ++k) {
        batch.position[3 * at + k] = shapes.position[3 * i + k]!;
        batch.rotation[4 * at + k] = shapes.orientation[4 * i + 1 + k]!;
      }
      batch.rotation[4 * at + 3] = shapes.orientation[4 * i]!;
      const isBall = code === kSphere || code === kCapsule;
      const isRound = code === kCylinder || code === kPipe;
      const hasSize = isBall || isRound || code === kBox;
      batch.size[3 * at] = hasSize ? a : 1;
      batch.size[3 * at + 1] = code === kBox ? b : hasSize ? a : 1;
      batch.size[3 * at + 2] = code === kBox ? c : isRound ? b : hasSize ? a : 1;
      batch.stretch[at] = code === kCapsule ? b : 0;
    }
  }

  private solidGeometry(batch: Batch): InstancedBufferGeometry {
    const {code, which} = batch;
    const isPlanar = this.recording.header.dimension === 2;
    let shape: BufferGeometry;
    if (code === kPlane) shape = isPlanar ? geometries.box() : geometries.square();
    else if (code === kBox) shape = geometries.box();
    else if (code === kCapsule) shape = geometries.capsule(batch.count);
    else if (code === kCylinder) shape = geometries.cylinder(batch.count);
    else if (code === kPipe) shape = geometries.pipe(which > 0);
    else shape = geometries.surface(this.recording.surfaces!, which);
    const geometry = new InstancedBufferGeometry();
    geometry.index = shape.index;
    for (const [name, attribute] of Object.entries(shape.attributes)) geometry.setAttribute(name, attribute);
    geometry.instanceCount = batch.count;
    for (const [name, values, width] of [
      ["aBody", batch.body, 1], ["aPosition", batch.position, 3], ["aRotation", batch.rotation, 4],
      ["aSize", batch.size, 3], ["aStretch", batch.stretch, 1],
    ] as const) geometry.setAttribute(name, new InstancedBufferAttribute(values, width));
    return geometry;
  }

  private addMesh(batch: Batch): void {
    const {code, isWall} = batch;
    const isPlanar = this.recording.header.dimension === 2;
    const isSphere = code === kSphere;
    const geometry = isSphere ? sphereGeometry(batch) : this.solidGeometry(batch);
    const material = new ShaderMaterial({
      glslVersion: GLSL3,
      vertexShader: isSphere ? kSphereVertex : kSolidVertex,
      fragmentShader: isSphere ? kSphereFragment : kSolidFragment,
      side: code === kMesh ? DoubleSide : FrontSide,
      uniforms: {
        ...this.textures.uniforms,
        uOpacity: {value: 1},
        uIsGround: {value: code === kPlane && !isPlanar},
        uGrid: {value: 1},
        uFade: {value: new Vector3()},
        uFadeRadius: {value: 1},
        uProjection: {value: null},
      },
    });
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.onBeforeRender = (_renderer, _scene, camera) => {
      material.uniforms["uProjection"]!.value = camera.projectionMatrix;
      material.uniformsNeedUpdate = true;
    };
    if (code === kPlane) {
      this.planes.push(material);
      material.transparent = !isPlanar;
      material.depthWrite = false;
      mesh.renderOrder = isPlanar ? -1 : 2;
    } else if (isWall) {
      this.walls.push(mesh);
    } else {
      this.moving.push(mesh);
    }
    this.group.add(mesh);
  }

  setWalls(style: Style): void {
    for (const mesh of this.walls) this.setStyle(mesh, style, 0.25);
  }

  setMoving(style: Style): void {
    for (const mesh of this.moving) this.setStyle(mesh, style, 0.13);
  }

  private setStyle(mesh: Mesh, style: Style, opacity: number): void {
    const material = mesh.material as ShaderMaterial;
    const isGlass = style === "glass";
    mesh.visible = style !== "hidden";
    material.transparent = isGlass;
    material.depthWrite = !isGlass;
    material.uniforms["uOpacity"]!.value = isGlass ? opacity : 1;
    mesh.renderOrder = isGlass ? 4 : 0;  // glass after what is seen through it
    material.needsUpdate = true;
  }

  /** Planes have no end: they are drawn as far as the scene reaches, centred where it is. */
  setExtent(scene: Sphere): void {
    const isPlanar = this.recording.header.dimension === 2;
    const reach = 6 * scene.radius;
    const grid = 10 ** Math.round(Math.log10(scene.radius / 4));
    for (const child of this.group.children) {
      const mesh = child as Mesh<InstancedBufferGeometry, ShaderMaterial>;
      const material = mesh.material;
      if (!this.planes.includes(material)) continue;
      const sizes = mesh.geometry.getAttribute("aSize");
      const positions = mesh.geometry.getAttribute("aPosition");
      const bodies = mesh.geometry.getAttribute("aBody");
      for (let i = 0; i < sizes.count; ++i) {
        if (isPlanar) {
          // A half-plane is a slab behind its surface; the bodies are drawn over it.
          sizes.setXYZ(i, reach, reach, scene.radius);
          const shapes = this.recording.shapes;
          const body = bodies.getX(i);
          const q = shapes.orientation.subarray(4 * body, 4 * body + 4);
          const z = [2 * (q[1]! * q[3]! + q[0]! * q[2]!), 2 * (q[2]! * q[3]! - q[0]! * q[1]!),
                     1 - 2 * (q[1]! * q[1]! + q[2]! * q[2]!)];
          const p = shapes.position.subarray(3 * body, 3 * body + 3);
          positions.setXYZ(i, p[0]! - z[0]! * scene.radius, p[1]! - z[1]! * scene.radius, p[2]! - z[2]! * scene.radius);
        } else {
          sizes.setXYZ(i, reach, reach, 1);
        }
      }
      sizes.needsUpdate = positions.needsUpdate = true;
      material.uniforms["uGrid"]!.value = grid;
      material.uniforms["uFade"]!.value.copy(scene.center);
      material.uniforms["uFadeRadius"]!.value = reach;
    }
  }
}

/** Boxes around the bodies' shapes in their frames, and radii of balls that hold them; zero for what has no end. */
export interface Sizes {
  /** low x, y, z, high x, y, z of each body. */
  box: Float32Array;
  radius: Float32Array;
}

export function bodySizes(recording: Recording): Sizes {
  const n = recording.bodyCount;
  const box = new Float32Array(6 * n);
  const radius = new Float32Array(n);
  const isKnown = new Uint8Array(n);
  const low = [0, 0, 0];
  const high = [0, 0, 0];
  const add = (body: number, x: number, y: number, z: number): void => {
    [x, y, z].forEach((value, k) => {
      if (isKnown[body] === 0) box[6 * body + k] = box[6 * body + 3 + k] = value;
      box[6 * body + k] = Math.min(box[6 * body + k]!, value);
      box[6 * body + 3 + k] = Math.max(box[6 * body + 3 + k]!, value);
    });
    isKnown[body] = 1;
    radius[body] = Math.max(radius[body]!, Math.hypot(x, y, z));
  };
  for (const shapes of [recording.shapes, recording.parts]) {
    if (shapes === null) continue;
    for (let i = 0; i < shapes.count; ++i) {
      const code = shapes.shape[i]!;
      const body = shapes.body[i]!;
      const [a, b, c] = shapes.size.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      const [px, py, pz] = shapes.position.subarray(3 * i, 3 * i + 3) as unknown as [number, number, number];
      if (code === kSphere) {
        const before = radius[body]!;
        add(body, px - a, py - a, pz - a);
        add(body, px + a, py + a, pz + a);
        radius[body] = Math.max(before, Math.hypot(px, py, pz) + a);  // not the corner of its box
        continue;
      }
      if (code === kPolytope || code === kMesh) {
        const {vertexOffset, vertex} = recording.surfaces!;
        const surface = shapes.surface![i]!;
        low.fill(Infinity);
        high.fill(-Infinity);
        for (let v = vertexOffset[surface]!; v < vertexOffset[surface + 1]!; ++v)
          for (let k = 0; k < 3; ++k) {
            low[k] = Math.min(low[k]!, vertex[3 * v + k]!);
            high[k] = Math.max(high[k]!, vertex[3 * v + k]!);
          }
      } else {
        const half = code === kBox ? [a, b, c] : code === kCapsule ? [a, a, a + b]
            : code === kCylinder || code === kPipe ? [a, a, b] : null;
        if (half === null) continue;
        half.forEach((value, k) => {
          low[k] = -value;
          high[k] = value;
        });
      }
      const q = shapes.orientation.subarray(4 * i, 4 * i + 4);
      for (let corner = 0; corner < 8; ++corner) {
        const [x, y, z] = [0, 1, 2].map((k) => ((corner >> k) & 1 ? high[k]! : low[k]!)) as [number, number, number];
        const p = turned(q, x, y, z);
        add(body, px + p[0], py + p[1], pz + p[2]);
      }
    }
  }
  return {box, radius};
}

/** A vector turned by a quaternion w, x, y, z. */
export function turned(q: ArrayLike<number>, x: number, y: number, z: number): [number, number, number] {
  const [w, a, b, c] = [q[0]!, q[1]!, q[2]!, q[3]!];
  const tx = 2 * (b * z - c * y);
  const ty = 2 * (c * x - a * z);
  const tz = 2 * (a * y - b * x);
  return [x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx];
}
