// What the certificate says of the step that is shown: the residual that decides, where it is, and the others.
import type {StepCertificate} from "../data/certificates";
import type {Recording} from "../data/recording";
import {short} from "../scene/colours";
import {button, el} from "./elements";

const percent = (part: number): string => `${short(100 * part, 2)} %`;

export class CertificatePanel {
  readonly element = el("div", {class: "certificate"});

  constructor(private readonly recording: Recording, private readonly select: (body: number, contact: number) => void) {}

  /** @param isStart nothing has been stepped yet; otherwise a certificate that is not there has not come yet. */
  show(certificate: StepCertificate | null, isStart: boolean): void {
    if (certificate === null) {
      this.element.replaceChildren(el("p", {class: "quiet"}, isStart ? "No step has ended here." : "The certificate comes with the next numbers."));
      return;
    }
    const {measures, deciding, contact, bodyA, bodyB, isCertified, velocity} = certificate;
    const verdict = el("b", {class: isCertified ? "good" : "bad"}, isCertified ? "certified" : "not certified");
    const rows = measures.map((measure) =>
      el("tr", measure === deciding ? {class: "decides"} : {}, el("th", {}, measure.name), el("td", {}, short(measure.value, 3)),
         el("td", {}, measure.limit > 0 ? `of ${short(measure.limit, 3)}` : ""),
         el("td", {}, measure.limit > 0 ? percent(measure.value / measure.limit) : "")));
    const parts: (Node | string)[] = [
      el("p", {}, verdict, deciding === null ? "" : `: ${deciding.name} decides`),
      el("table", {}, ...rows),
    ];
    const facts: [string, string | Node][] = [];
    if (velocity > 0) facts.push(["as a velocity", `${short(velocity, 3)} m/s`]);
    if (certificate.joints !== null) {
      const {rate, drift, rank, constraints} = certificate.joints;
      facts.push(["joint rate", `${short(rate, 3)} m/s, rad/s`], ["joint drift", short(drift, 3)],
                 ["rank", `${rank} of ${constraints} constraints`]);
    }
    if (contact >= 0 && certificate.residual > 0) {
      const names = [bodyA, bodyB].filter((body) => body >= 0).map((body) => this.recording.bodyName(body)).join(" – ");
      facts.push(["where", button(`contact ${contact}${names === "" ? "" : `: ${names}`}`, "Select this contact", () => this.select(-1, contact), "worst-here")]);
    }
    parts.push(el("table", {}, ...facts.map(([name, value]) => el("tr", {}, el("th", {}, name), el("td", {}, value)))));
    this.element.replaceChildren(...parts);
  }
}
