// Codes of /bodies/shape.

export const kShapeNames = ["sphere", "plane", "box", "capsule", "polytope", "mesh", "compound", "cylinder", "pipe"];
export const [kSphere, kPlane, kBox, kCapsule, kPolytope, kMesh, kCompound, kCylinder, kPipe] = kShapeNames.keys();
