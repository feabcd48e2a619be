// GLSL shared by everything that is drawn with the bodies' poses. Poses and colours lie in textures, two texels and
// one texel per body: a frame is one upload, whatever the shapes, and no matrix is made on the processor.

export const kTextureWidth = 1024;

/** Numbers that a click on a joint's mark gives: beyond those of bodies and contacts. */
export const kFirstJointId = 0xf00000;

export const kPoseCode = /* glsl */ `
uniform highp sampler2D uPoses;
uniform vec3 uCellLow;
uniform vec3 uCellLength;
vec4 poseTexel(int i) { return texelFetch(uPoses, ivec2(i % ${kTextureWidth}, i / ${kTextureWidth}), 0); }
// Periodic positions are recorded as far as the body has gone; here they are brought back into the cell.
vec3 wrapped(vec3 p) {
  vec3 turns = vec3(uCellLength.x > 0.0 ? floor((p.x - uCellLow.x) / uCellLength.x) : 0.0,
                    uCellLength.y > 0.0 ? floor((p.y - uCellLow.y) / uCellLength.y) : 0.0,
                    uCellLength.z > 0.0 ? floor((p.z - uCellLow.z) / uCellLength.z) : 0.0);
  return p - turns * uCellLength;
}
vec3 bodyPosition(int body, out bool isThere) {
  vec4 texel = poseTexel(2 * body);
  isThere = texel.w < 0.5;
  return wrapped(texel.xyz);
}
vec4 bodyRotation(int body) { return poseTexel(2 * body + 1); }
vec3 rotate(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec4 conjugate(vec4 q) { return vec4(-q.xyz, q.w); }
vec4 compose(vec4 a, vec4 b) { return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz)); }
`;

export const kColourCode = /* glsl */ `
uniform sampler2D uColours;
uniform float uSelected;
vec3 bodyColour(int body) {
  return texelFetch(uColours, ivec2(body % ${kTextureWidth}, body / ${kTextureWidth}), 0).rgb;
}
vec3 idColour(int id) {
  return vec3(float(id & 255), float((id >> 8) & 255), float((id >> 16) & 255)) / 255.0;
}
`;

export const kLightCode = /* glsl */ `
uniform vec3 uUp;
uniform vec3 uKey;
uniform vec3 uSun;
// Sky and ground, a lamp beside the eye, the sun, and a little gloss; eye and n are unit, in the world. sun is how much of the sun
// comes here, ambient how much of all other light.
vec3 lit(vec3 colour, vec3 n, vec3 eye, float sun, float ambient) {
  float sky = 0.5 + 0.5 * dot(n, uUp);
  float lamp = max(dot(n, uKey), 0.0);
  float facing = max(dot(n, eye), 0.0);
  vec3 c = colour * (ambient * (0.46 + 0.16 * sky + 0.22 * lamp + 0.06 * facing) + 0.32 * sun * max(dot(n, uSun), 0.0));
  c *= mix(0.68, 1.0, smoothstep(0.0, 0.4, facing));
  float gloss = pow(max(dot(n, normalize(uKey + eye)), 0.0), 40.0);
  return c + vec3(0.10 * gloss * ambient);
}
vec3 highlighted(vec3 colour, bool isSelected, float facing) {
  return isSelected ? mix(vec3(1.0, 0.72, 0.1), colour, smoothstep(0.05, 0.75, facing) * 0.75) : colour;
}
`;

/** What effects.ts has found out: light that comes to a place. Graphics in software take both ways of every branch, so what is not
 * wanted is not compiled: SHADED has shadows, CUT what is cut, BARE only the bodies' numbers. */
export const kShadeCode = /* glsl */ `
#ifdef SHADED
uniform highp sampler2DShadow uShadow;
uniform mat4 uShadowMatrix;
uniform float uShadowTexel;
uniform float uShadowBias;
uniform sampler2D uOcclusion;
uniform vec2 uPicture;
float sunAt(vec3 world, vec3 n) {
  vec3 p = (uShadowMatrix * vec4(world + n * (2.5 * uShadowBias), 1.0)).xyz;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = 0.0;
  for (int i = -1; i <= 1; ++i)
    for (int j = -1; j <= 1; ++j) sum += texture(uShadow, vec3(p.xy + 1.6 * uShadowTexel * vec2(i, j), p.z));
  return sum / 9.0;
}
float ambientHere() { return texture(uOcclusion, gl_FragCoord.xy / uPicture).r; }
#else
float sunAt(vec3 world, vec3 n) { return 1.0; }
float ambientHere() { return 1.0; }
#endif
// What lies before the cut is not drawn.
#ifdef CUT
uniform vec4 uCut;
bool isCut(vec3 world) { return dot(world, uCut.xyz) > uCut.w; }
#endif
`;

/** Boxes, capsules, cylinders, hulls, meshes: instances of a geometry, scaled and stretched along z. */
export const kSolidVertex = /* glsl */ `
${kPoseCode}
${kColourCode}
in float cap;        // -1, 0, 1: moved with the shape's ends
in vec3 edge;        // edges.ts
in float aBody;
in vec3 aPosition;   // of the shape in the body
in vec4 aRotation;
in vec3 aSize;
in float aStretch;
out vec3 vNormal;
out vec3 vWorld;
out vec3 vLocal;
out vec3 vEdge;
flat out vec3 vColour;
flat out int vBody;
void main() {
  int body = int(aBody + 0.5);
  bool isThere;
  vec3 centre = bodyPosition(body, isThere);
  vec4 q = bodyRotation(body);
  vec3 local = position * aSize + vec3(0.0, 0.0, cap * aStretch);
  vLocal = local;
  vEdge = edge;
  vWorld = centre + rotate(q, aPosition + rotate(aRotation, local));
  vNormal = rotate(compose(q, aRotation), normalize(normal / aSize));
  vColour = bodyColour(body);
  vBody = body;
  gl_Position = isThere ? projectionMatrix * viewMatrix * vec4(vWorld, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const kSolidFragment = /* glsl */ `
${kPoseCode}
${kColourCode}
${kLightCode}
${kShadeCode}
uniform bool uIsFlat;      // planar scenes: colour tells the shape, not light
uniform float uOpacity;
uniform bool uIsGround;    // planes: a grid instead of a gloss
uniform float uGrid;
uniform vec3 uFade;        // centre of the fade
uniform float uFadeRadius;
in vec3 vNormal;
in vec3 vWorld;
in vec3 vLocal;
in vec3 vEdge;
flat in vec3 vColour;
flat in int vBody;
out vec4 fragment;
float gridLine(vec2 p, float width) {
  vec2 d = fwidth(p);
  vec2 edge = abs(fract(p - 0.5) - 0.5) / max(d, vec2(1e-6));
  float line = 1.0 - min(min(edge.x, edge.y) / width, 1.0);
  return line * (1.0 - smoothstep(0.2, 0.7, max(d.x, d.y)));  // no moire in the distance
}
// How much an edge of a flat face is here; none where faces are of a few pixels.
float edgeLine() {
  vec3 d = max(fwidth(vEdge), vec3(1e-6));
  vec3 pixels = vEdge / d;
  float line = 1.0 - smoothstep(0.5, 1.5, min(pixels.x, min(pixels.y, pixels.z)));
  return line * (1.0 - smoothstep(0.08, 0.25, max(d.x, max(d.y, d.z))));
}
void main() {
#ifndef BARE
  float edge = edgeLine();
#endif
#ifdef CUT
  if (!uIsGround && isCut(vWorld)) discard;
#endif
#ifdef BARE
  if (uIsGround && !gl_FrontFacing) discard;
  fragment = vec4(idColour(vBody + 1), 1.0);
#else
  vec3 eye = isOrthographic ? vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]) : normalize(cameraPosition - vWorld);
  vec3 n = normalize(vNormal);
  if (!gl_FrontFacing) n = -n;
  bool isSelected = abs(float(vBody) - uSelected) < 0.5;
  float facing = max(dot(n, eye), 0.0);
  if (uIsGround) {
    float lines = max(gridLine(vLocal.xy / uGrid, 1.0) * 0.45, gridLine(vLocal.xy / (5.0 * uGrid), 1.2));
    vec3 c = mix(vColour, vColour * 0.6, lines);
    if (isSelected) c = mix(c, vec3(1.0, 0.72, 0.1), 0.35);
    float fade = 1.0 - smoothstep(0.45, 1.0, length(vWorld - uFade) / uFadeRadius);
    if (!gl_FrontFacing) {  // seen from behind a plane is its border
      fragment = vec4(vColour * 0.45, uOpacity * fade * 0.55 * edge);
      return;
    }
    float dark = 1.0 - mix(0.48, 1.0, sunAt(vWorld, n)) * mix(0.25, 1.0, ambientHere());
    c = mix(c, vColour * 0.35, max(dark, 0.75 * edge));
    fragment = vec4(c, fade * max(uOpacity * (0.45 + 0.35 * lines), max(0.8 * dark, 0.85 * edge)));
    return;
  }
#ifdef CUT
  if (!gl_FrontFacing) {  // of what is cut the inner side, as if it were solid
    fragment = vec4(mix(vColour, vec3(dot(vColour, vec3(0.333))), 0.35) * 0.82, uOpacity);
    return;
  }
#endif
  vec3 c = uIsFlat ? vColour * (0.86 + 0.14 * facing) : lit(vColour, n, eye, sunAt(vWorld, n), ambientHere());
  c *= 1.0 - 0.5 * edge;
  fragment = vec4(highlighted(c, isSelected, isSelected && uIsFlat ? 0.35 : facing), uOpacity);
#endif
}
`;

/** Spheres: one triangle around each, turned to the eye; the fragment shader meets the ray with the sphere. */
export const kSphereVertex = /* glsl */ `
${kPoseCode}
${kColourCode}
in float aBody;
in vec3 aPosition;
in float aRadius;
uniform float uPixels;   // height of the picture
out vec3 vView;
flat out vec3 vCentre;
flat out float vRadius;
flat out vec4 vRotation;
flat out vec3 vColour;
flat out int vBody;
flat out float vStripes;
void main() {
  int body = int(aBody + 0.5);
  bool isThere;
  vec3 p = bodyPosition(body, isThere);
  vRotation = bodyRotation(body);
  vec3 centre = (viewMatrix * vec4(p + rotate(vRotation, aPosition), 1.0)).xyz;
  vec3 away = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(centre);
  float distance2 = dot(centre, centre);
  float reach = isOrthographic ? aRadius : aRadius * sqrt(distance2 / max(distance2 - aRadius * aRadius, 1e-12));
  vec3 side = normalize(cross(away, abs(away.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  vec3 up = cross(side, away);
  vec2 corner = gl_VertexID % 3 == 0 ? vec2(0.0, 2.0) : vec2(gl_VertexID % 3 == 1 ? -1.7320509 : 1.7320509, -1.0);
  vView = centre + (side * corner.x + up * corner.y) * reach;
  vCentre = centre;
  vRadius = aRadius;
  vColour = bodyColour(body);
  vBody = body;
  float pixels = aRadius * projectionMatrix[1][1] * uPixels / (isOrthographic ? 1.0 : max(-centre.z, 1e-9)) * 0.5;
  vStripes = smoothstep(2.0, 8.0, pixels);
  bool isInside = !isOrthographic && distance2 <= aRadius * aRadius * 1.0001;
  gl_Position = isThere && !isInside ? projectionMatrix * vec4(vView, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
}
`;

export const kSphereFragment = /* glsl */ `
${kPoseCode}
${kColourCode}
${kLightCode}
${kShadeCode}
uniform bool uIsFlat;
uniform float uOpacity;
uniform mat4 uProjection;
in vec3 vView;
flat in vec3 vCentre;
flat in float vRadius;
flat in vec4 vRotation;
flat in vec3 vColour;
flat in int vBody;
flat in float vStripes;
out vec4 fragment;
void main() {
  vec3 origin = isOrthographic ? vec3(vView.xy, 0.0) : vec3(0.0);
  vec3 ray = isOrthographic ? vec3(0.0, 0.0, -1.0) : normalize(vView);
  vec3 offset = origin - vCentre;
  float b = dot(offset, ray);
  // Distance of the ray from the centre, not a difference of squares: exact for small and far spheres.
  vec3 nearest = offset - b * ray;
  float rest = vRadius * vRadius - dot(nearest, nearest);
  if (rest < 0.0) discard;
  float half_ = sqrt(rest), at = -b - half_;
  vec3 hit = origin + ray * at;
  mat3 toWorld = transpose(mat3(viewMatrix));
  vec3 world = toWorld * (hit - viewMatrix[3].xyz);
#ifdef CUT
  bool isSection = false;
  if (isCut(world)) {  // then the cut itself, if it is inside of the sphere
    vec3 along = toWorld * ray;
    float speed = dot(along, uCut.xyz);
    float further = (uCut.w - dot(world, uCut.xyz)) / speed;
    if (speed >= 0.0 || further > 2.0 * half_) discard;
    hit += ray * further;
    isSection = true;
  }
#endif
  vec4 clip = uProjection * vec4(hit, 1.0);
  gl_FragDepth = 0.5 * clip.z / clip.w + 0.5;
#ifdef BARE
  fragment = vec4(idColour(vBody + 1), 1.0);
#else
#ifdef CUT
  if (isSection) {
    fragment = vec4(mix(vColour, vec3(dot(vColour, vec3(0.333))), 0.35) * 0.82, uOpacity);
    return;
  }
#endif
  vec3 n = toWorld * ((hit - vCentre) / vRadius);
  vec3 eye = toWorld * -ray;
  vec3 inBody = rotate(conjugate(vRotation), n);
  float facing = max(dot(n, eye), 0.0);
  // Two octants in light, two in shade: that a ball rolls can be seen.
  float width = max(fwidth(inBody.x) + fwidth(inBody.y), 0.02);
  vec3 sign3 = smoothstep(-width, width, inBody) * 2.0 - 1.0;
  float octant = uIsFlat ? sign3.x * sign3.y : sign3.x * sign3.y * sign3.z;
  vec3 base = vColour * (1.0 - 0.16 * vStripes * (0.5 - 0.5 * octant));
  vec3 c = uIsFlat ? base * mix(0.72, 1.0, smoothstep(0.0, 0.35, facing)) : lit(base, n, eye, sunAt(world, n), ambientHere());
  bool isSelected = abs(float(vBody) - uSelected) < 0.5;
  fragment = vec4(highlighted(c, isSelected, facing), uOpacity);
#endif
}
`;
