/** Text, a node, or nothing. Text only ever becomes a text node: the page never parses markup. */
export type Child = Node | string | undefined | false;

type Listeners = { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };

export interface Attributes {
  readonly [name: string]: string | number | boolean | undefined | Listeners;
  readonly on?: Listeners;
}

function setAttributes(element: Element, { on, ...attributes }: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '');
    else if (typeof value === 'string' || typeof value === 'number') element.setAttribute(name, String(value));
  }
  for (const [type, listener] of Object.entries(on ?? {})) element.addEventListener(type, listener as EventListener);
}

const present = (child: Child): child is Node | string => child !== undefined && child !== false;

/** Makes an HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.filter(present));
  return element;
}

/** Makes an SVG element. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  element.append(...children.filter(present));
  return element;
}

export function replace(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren(...children.filter(present));
}
