// What one can choose about the picture: each choice is a control of the panel, a key and a word of the link at once.
import {check, select} from "./elements";

interface Choice {
  control: HTMLInputElement | HTMLSelectElement;
  initial: string;
  /** Name of the list that a switch is in: show=forces,cones. */
  list: string;
}

export class Options {
  private readonly choices = new Map<string, Choice>();

  /** @param onChange after every change: the link is kept. */
  constructor(private readonly onChange: () => void) {}

  private keep(label: HTMLLabelElement, initial: string, list: string): HTMLLabelElement {
    const control = label.querySelector<HTMLInputElement | HTMLSelectElement>("input, select")!;
    this.choices.set(control.name, {control, initial, list});
    return label;
  }

  /** One of several values. */
  choice(name: string, label: string, values: readonly (readonly [string, string])[], initial: string,
         apply: (value: string) => void): HTMLLabelElement {
    return this.keep(select(label, name, values, initial, (value) => {
      apply(value);
      this.onChange();
    }), initial, "");
  }

  /** On or off. */
  toggle(name: string, label: string, initial: boolean, apply: (isOn: boolean) => void, list = ""): HTMLLabelElement {
    return this.keep(check(label, name, initial, (isOn) => {
      apply(isOn);
      this.onChange();
    }), initial ? "1" : "0", list);
  }

  get(name: string): string {
    const control = this.choices.get(name)?.control;
    return control instanceof HTMLInputElement ? (control.checked ? "1" : "0") : (control?.value ?? "");
  }

  /** Sets a choice as a person would; nothing where it has that value, or does not know it. */
  set(name: string, value: string | boolean): void {
    const control = this.choices.get(name)?.control;
    const text = typeof value === "boolean" ? (value ? "1" : "0") : value;
    if (control === undefined || this.get(name) === text) return;
    if (control instanceof HTMLInputElement) control.checked = text !== "0";
    else if ([...control.options].some((option) => option.value === text)) control.value = text;
    else return;
    control.dispatchEvent(new Event("change"));
  }

  /** The other state, or the next value. */
  flip(name: string): void {
    const control = this.choices.get(name)?.control;
    if (control instanceof HTMLInputElement) this.set(name, !control.checked);
    else if (control !== undefined) this.set(name, control.options[(control.selectedIndex + 1) % control.options.length]!.value);
  }

  /** Adds what is not as it was at the start. */
  write(words: URLSearchParams): void {
    const lists = new Map<string, string[]>();
    for (const [name, {initial, list}] of this.choices) {
      const value = this.get(name);
      if (value === initial) continue;
      if (list === "") words.set(name, value);
      else lists.set(list, [...(lists.get(list) ?? []), name]);
    }
    for (const [list, names] of lists) words.set(list, names.join(","));
  }

  /** What words do not name is as it was at the start. */
  read(words: URLSearchParams): void {
    for (const [name, {initial, list}] of this.choices)
      if (list === "") this.set(name, words.get(name) ?? initial);
      else this.set(name, (words.get(list) ?? "").split(",").includes(name));
  }
}
