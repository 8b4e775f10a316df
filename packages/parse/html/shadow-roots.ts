import { html as spec, type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, type TreeAdapter } from 'parse5';

type Parent = DefaultTreeAdapterTypes.ParentNode;
type Child = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

export type ShadowRoots = ReadonlyMap<Parent, DefaultTreeAdapterTypes.DocumentFragment>;

/** The HTML elements that may be the host of a shadow root, in addition to custom elements (DOM Standard, "attach a shadow root"). */
const HOSTS: ReadonlySet<string> = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);
const NOT_CUSTOM: ReadonlySet<string> = new Set(
  'annotation-xml color-profile font-face font-face-format font-face-name font-face-src font-face-uri missing-glyph'.split(
    ' ',
  ),
);

/**
 * A tree adapter that also attaches declarative shadow roots (HTML Standard, 13.2.6.4.4, start tag `template`). The `template` of an
 * attached shadow root is not part of the tree. If an element cannot have a shadow root, the `template` stays an ordinary element.
 * @param roots the shadow roots are added to this map
 */
export function attachingShadowRoots(
  adapter: TreeAdapter<DefaultTreeAdapterMap>,
  roots: Map<Parent, DefaultTreeAdapterTypes.DocumentFragment>,
): TreeAdapter<DefaultTreeAdapterMap> {
  /**
   * The last template that has its content but no position yet. Only this template can be a shadow root, because a template may be moved
   * later.
   */
  let unplaced: DefaultTreeAdapterTypes.Template | undefined;
  return {
    ...adapter,
    setTemplateContent(template, content) {
      adapter.setTemplateContent(template, content);
      unplaced = template;
    },
    appendChild(parent, node) {
      const attaches = node === unplaced && isDeclaration(unplaced) && isHost(parent) && !roots.has(parent);
      if (attaches) roots.set(parent, unplaced!.content);
      else adapter.appendChild(parent, node);
      if (node === unplaced) unplaced = undefined;
    },
  };
}

function isDeclaration({ attrs }: Element): boolean {
  return attrs.some(({ name, value }) => name === 'shadowrootmode' && /^(?:open|closed)$/i.test(value));
}

function isHost(parent: Parent): boolean {
  if (!('tagName' in parent) || parent.namespaceURI !== spec.NS.HTML) return false;
  const { tagName } = parent;
  return HOSTS.has(tagName) || (/^[a-z][^-]*-/.test(tagName) && !NOT_CUSTOM.has(tagName));
}

/** The children of a shadow host, by slot name, that are not assigned to a slot element yet. */
export type Slots = Map<string, Child[]>;

/** Returns the children of a shadow host that can be assigned to a slot, by slot name (DOM Standard, 4.2.2.3). */
export function slotsOf(host: Parent): Slots {
  const slots: Slots = new Map();
  for (const child of host.childNodes) {
    const name = slotName(child);
    if (name === undefined) continue;
    const known = slots.get(name);
    if (known) known.push(child);
    else slots.set(name, [child]);
  }
  return slots;
}

/** Assigns nodes to a slot element, and returns them. Undefined: the element is not a slot, or there are no nodes for it. */
export function takeSlotted(slot: Element, slots: Slots): readonly Child[] | undefined {
  if (slot.tagName !== 'slot' || slot.namespaceURI !== spec.NS.HTML) return undefined;
  const name = valueOf(slot, 'name');
  const slotted = slots.get(name);
  slots.delete(name);
  return slotted;
}

/** Returns the children of a shadow host that are not assigned to a slot element, in document order. */
export function unslotted(host: Parent, slots: Slots): readonly Child[] {
  return host.childNodes.filter((child) => slots.has(slotName(child) ?? ''));
}

/** Returns the slot name of a child. Undefined: the child is neither an element nor text, so it cannot be assigned to a slot. */
function slotName(child: Child): string | undefined {
  if ('attrs' in child) return valueOf(child, 'slot');
  return child.nodeName === '#text' ? '' : undefined;
}

function valueOf({ attrs }: Element, name: string): string {
  return attrs.find((attr) => attr.name === name)?.value ?? '';
}
