/**
 * The customary prefixes of namespaces. Readers recognise elements by these prefixes. Names of RSS and sitemaps have no prefix.
 * Namespaces are compared without scheme, without letter case, and without a `#` or `/` at the end, because documents often get these
 * wrong.
 */
const CUSTOMARY: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['www.sitemaps.org/schemas/sitemap/0.9', ''],
  ['purl.org/rss/1.0', ''],
  ['purl.org/net/rss1.1', ''],
  ['my.netscape.com/rdf/simple/0.9', ''],
  ['channel.netscape.com/rdf/simple/0.9', ''],
  ['backend.userland.com/rss', ''],
  ['backend.userland.com/rss2', ''],
  ['blogs.law.harvard.edu/tech/rss', ''],
  ['www.w3.org/2005/atom', 'atom:'],
  ['purl.org/atom/ns', 'atom:'],
  ['www.w3.org/1999/02/22-rdf-syntax-ns', 'rdf:'],
  ['www.w3.org/xml/1998/namespace', 'xml:'],
  ['purl.org/dc/elements/1.0', 'dc:'],
  ['purl.org/dc/elements/1.1', 'dc:'],
  ['purl.org/rss/1.0/modules/content', 'content:'],
]);

const RDF = 'www.w3.org/1999/02/22-rdf-syntax-ns';

/** The prefix for names of an unknown namespace. */
const FOREIGN = '?:';

type Attributes = Readonly<Record<string, string>>;

/** The open elements of a document, and the namespaces of the prefixes in these elements (Namespaces in XML 1.0). */
export class XmlNames {
  /** For each prefix, its namespaces in the open elements, innermost last. The empty prefix is for names without a prefix. */
  readonly #meanings = new Map<string, string[]>();
  readonly #open: { readonly name: string; readonly declared: readonly string[] }[] = [];
  /** The namespace whose elements get no prefix. */
  #home: string | undefined;

  get depth(): number {
    return this.#open.length;
  }

  /**
   * Opens an element.
   * @returns name and attributes of the element, with customary prefixes, without namespace declarations
   */
  enter(given: string, attributes: Attributes): { name: string; attributes: Map<string, string> } {
    const declared = this.#declare(attributes);
    this.#home ??= this.#homeOf(given);
    const space = this.#spaceOf(given);
    const name = (space === this.#home ? '' : prefixOf(space)) + localName(given).toLowerCase();
    this.#open.push({ name, declared });
    const others = new Map<string, string>();
    for (const attribute in attributes) {
      const value = attributes[attribute]!;
      if (!attribute.includes(':')) others.set(attribute, value);
      else if (!isDeclaration(attribute)) others.set(this.#attributeName(attribute), value);
    }
    return { name, attributes: others };
  }

  leave(): string {
    const { name, declared } = this.#open.pop()!;
    for (const prefix of declared) this.#meanings.get(prefix)!.pop();
    return name;
  }

  #declare(attributes: Attributes): readonly string[] {
    let declared: string[] | undefined;
    for (const attribute in attributes) {
      if (!isDeclaration(attribute)) continue;
      const prefix = attribute.slice('xmlns:'.length);
      const meanings = this.#meanings.get(prefix);
      const namespace = plain(attributes[attribute]!);
      if (meanings) meanings.push(namespace);
      else this.#meanings.set(prefix, [namespace]);
      (declared ??= []).push(prefix);
    }
    return declared ?? NONE;
  }

  /**
   * Returns the namespace of the root element. If this is RDF, which is only a container, it returns the namespace of names without a
   * prefix.
   */
  #homeOf(root: string): string {
    const space = this.#spaceOf(root);
    return space === RDF || space === UNDECLARED_RDF ? this.#spaceOf('') : space;
  }

  /** Returns the namespace of a name, by its prefix. If the prefix is not declared, it returns the prefix with its colon. */
  #spaceOf(given: string): string {
    const colon = given.indexOf(':');
    const prefix = colon < 0 ? '' : given.slice(0, colon).toLowerCase();
    return this.#meanings.get(prefix)?.at(-1) ?? (colon < 0 ? '' : `${prefix}:`);
  }

  #attributeName(given: string): string {
    return prefixOf(this.#spaceOf(given)) + localName(given);
  }
}

const NONE: readonly string[] = [];
const UNDECLARED_RDF = 'rdf:';

/** The name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function prefixOf(space: string): string {
  return space.endsWith(':') ? space : (CUSTOMARY.get(space) ?? FOREIGN);
}

function isDeclaration(attribute: string): boolean {
  return attribute === 'xmlns' || attribute.startsWith('xmlns:');
}

const MAX_NAMESPACE = 200;

function plain(namespace: string): string {
  return namespace
    .trim()
    .slice(0, MAX_NAMESPACE)
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/#:]+$/, '');
}
