// The panel that says how things are drawn.
import type {App} from "../app";
import {kColourings, type Coloring} from "../scene/colours";
import {kContactLayers, kStateColours, kStateNames, type ContactLayer} from "../scene/contacts";
import type {Style} from "../scene/bodies";
import type {Projection} from "../scene/camera";
import type {Shading} from "../scene/view";
import {el} from "./elements";

const kLayerNames: Record<ContactLayer, string> = {
  points: "points", normals: "normals", forces: "forces", chains: "force chains", cones: "friction cones",
};
const kStyles = [["solid", "solid"], ["glass", "glass"], ["hidden", "hidden"]] as const;

/** What one often wants, and the rest. */
export function displayPanel(app: App): [HTMLElement[], HTMLElement[]] {
  const {options, view, recording} = app;
  const redraw = (): void => view.redraw();
  const slider = (name: string, low: number, high: number, value: number, apply: (value: number) => void): HTMLInputElement => {
    const input = el("input", {type: "range", min: String(low), max: String(high), step: "any", value: String(value), "aria-label": name,
                               input: () => apply(Number(input.value))});
    return input;
  };
  const toggle = (name: string, label: string, initial: boolean, apply: (isOn: boolean) => void): HTMLLabelElement =>
      options.toggle(name, label, initial, (isOn) => {
        apply(isOn);
        view.draw();
      });
  const force = slider("Size of forces", -2, 2, 0, (power) => {
    view.contacts.setFactor(2 ** power);
    view.joints?.setFactor(2 ** power);
    app.showLegends();
    view.draw();
  });
  let [cutAxis, cutPart] = [-1, 0.5];
  const cut = slider("Place of the cut", 0, 1, cutPart, (part) => {
    cutPart = part;
    view.setCut(cutAxis, cutPart);
  });
  cut.hidden = true;
  const names = (name: "hide" | "only", label: string, hint: string): HTMLElement => el("label", {class: "row"}, el("span", {}, label),
      app.nameInputs[name] = el("input", {type: "text", name, placeholder: hint, "aria-label": label, change: () => app.choosePresence()}));
  const common = [
    options.choice("colour", "Colour", kColourings.map((name) => [name, name === "contacts" ? "contact count" : name] as const), "body",
                   (name) => app.setColoring(name as Coloring)),
    options.choice("bodies", "Bodies", kStyles, "solid", (style) => {
      view.bodies.setMoving(style as Style);
      redraw();
    }),
    options.choice("walls", "Walls", kStyles, "solid", (style) => {
      view.bodies.setWalls(style as Style);
      redraw();
    }),
    el("div", {class: "row"}, el("span", {}, "Contacts")),
    el("div", {class: "checks"}, ...kContactLayers.map((layer) =>
      options.toggle(layer, kLayerNames[layer], false, (isOn) => app.showLayer(layer, isOn), "show"))),
    el("p", {class: "quiet"}, ...kStateNames.flatMap((name, i) => [el("b", {style: `color:${kStateColours[i]}`}, "● "), `${name}  `])),
    el("label", {class: "row"}, el("span", {}, "Force size"), force),
    el("div", {class: "checks"},
       toggle("velocities", "velocities", false, (isOn) => {
         view.velocities.mesh.visible = isOn;
         void app.player.refresh();
       }),
       toggle("trails", "trails", false, (isOn) => {
         view.trails.lines.visible = isOn;
         void app.player.refresh();
       }),
       toggle("axes", "frames of bodies", false, (isOn) => {
         view.axes.visible = isOn;
       }),
       ...(view.joints === null ? [] : [
         toggle("joints", "joints", true, (isOn) => {
           view.joints!.marks.visible = isOn;
         }),
         toggle("reactions", "joint forces", false, (isOn) => {
           view.joints!.forces.visible = isOn;
         })])),
  ];
  const rare = [
    names("hide", "Hide", "names, as wall*, crate"), names("only", "Show only", "names"),
    toggle("follow", "follow the selected body", false, () => app.beginFollowing()),
    toggle("scale", "scale and axes", true, () => undefined),
    ...(recording.header.dimension === 2 ? [] : [
      options.choice("cut", "Cut", [["none", "no"], ["x", "across x"], ["y", "across y"], ["z", "across z"]], "none", (axis) => {
        cutAxis = ["x", "y", "z"].indexOf(axis);
        cut.hidden = cutAxis < 0;
        view.setCut(cutAxis, cutPart);
      }), cut,
      options.choice("projection", "Projection", [["perspective", "perspective"], ["parallel", "parallel"]], "perspective",
                     (projection) => view.viewpoint.setProjection(projection as Projection)),
      options.choice("shadows", "Shadows", [["always", "always"], ["still", "when it stands"], ["off", "off"]], view.shading, (shading) => {
        view.shading = shading as Shading;
        redraw();
      })]),
  ];
  return [common, rare];
}
