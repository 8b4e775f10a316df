import { html as spec, type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes, type TreeAdapter } from 'parse5';

type Parent = DefaultTreeAdapterTypes.ParentNode;
type Child = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** The declarative shadow roots of a tree, by the elements that host them. */
export type ShadowRoots = ReadonlyMap<Parent, DefaultTreeAdapterTypes.DocumentFragment>;

/** DOM Standard, "attach a shadow root": the elements of HTML that may be a host, besides custom elements. */
const HOSTS: ReadonlySet<string> = new Set(
  'article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span'.split(' '),
);
/** Names with a dash that are no names of custom elements. */
const NOT_CUSTOM: ReadonlySet<string> = new Set(
  'annotation-xml color-profile font-face font-face-format font-face-name font-face-src font-face-uri missing-glyph'.split(
    ' ',
  ),
);

/**
 * A tree adapter that also attaches declarative shadow roots (HTML Standard, 13.2.6.4.4, start tag `template`): such a
 * `template` is no part of the tree. Where nothing may be attached, it stays a `template` as any other.
 * @param roots takes them
 */
export function attachingShadowRoots(
  adapter: TreeAdapter<DefaultTreeAdapterMap>,
  roots: Map<Parent, DefaultTreeAdapterTypes.DocumentFragment>,
): TreeAdapter<DefaultTreeAdapterMap> {
  /** A template gets its content before its place; later it may be moved. */
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

/** The children of a shadow host that slots of its shadow root have not taken yet; see {@link slotsOf}. */
export type Slots = Map<string, Child[]>;

/** The children of a host by the name of the slot that they are for (DOM Standard, 4.2.2.3). */
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

/** What a `slot` shows in place of its own content; undefined where it is no slot, or nothing is there for it. */
export function takeSlotted(slot: Element, slots: Slots): readonly Child[] | undefined {
  if (slot.tagName !== 'slot' || slot.namespaceURI !== spec.NS.HTML) return undefined;
  const name = valueOf(slot, 'name');
  const slotted = slots.get(name);
  slots.delete(name);
  return slotted;
}

/** The children of a host that no slot has taken, in document order. */
export function unslotted(host: Parent, slots: Slots): readonly Child[] {
  return host.childNodes.filter((child) => slots.has(slotName(child) ?? ''));
}

/** Undefined for what is neither element nor text, and so fills no slot. */
function slotName(child: Child): string | undefined {
  if ('attrs' in child) return valueOf(child, 'slot');
  return child.nodeName === '#text' ? '' : undefined;
}

function valueOf({ attrs }: Element, name: string): string {
  return attrs.find((attr) => attr.name === name)?.value ?? '';
}
