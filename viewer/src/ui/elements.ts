// Small helpers for HTML elements.

type Child = Node | string | null;

export function el<Name extends keyof HTMLElementTagNameMap>(
    name: Name, attributes: Record<string, string | boolean | ((event: never) => void)> = {}, ...children: Child[]):
    HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value as EventListener);
    else if (typeof value === "boolean") element.toggleAttribute(key, value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function button(text: string, title: string, action: () => void, name = ""): HTMLButtonElement {
  return el("button", {type: "button", title, "aria-label": title, click: action, ...(name === "" ? {} : {"data-do": name})},
            text);
}

export function select(label: string, name: string, choices: readonly (readonly [string, string])[], value: string,
                       action: (value: string) => void): HTMLLabelElement {
  const list = el("select", {name, change: () => action(list.value)},
                  ...choices.map(([key, text]) => el("option", {value: key}, text)));
  list.value = value;
  return el("label", {class: "row"}, el("span", {}, label), list);
}

export function check(label: string, name: string, value: boolean, action: (value: boolean) => void): HTMLLabelElement {
  const box = el("input", {type: "checkbox", name, checked: value, change: () => action(box.checked)});
  box.checked = value;
  return el("label", {class: "check"}, box, el("span", {}, label));
}

export function section(title: string, isOpen: boolean, ...children: Child[]): HTMLDetailsElement {
  return el("details", {open: isOpen}, el("summary", {}, title), ...children);
}
