import type { LinkSink } from './scan/byte-scan.js';
import type { Target } from './hosts.js';

/** A link as pages of one folder write it. */
export interface Reference {
  readonly reference: string;
  /** Where it leads; null: to nothing that is wanted. Undefined before it was looked up. */
  target: Target | null | undefined;
  /** The last page that has it, and its place among the links there. */
  page: number;
  index: number;
}

/** References of all folders, beyond which all are forgotten. */
const MOST = 200_000;

/** The links of one page after another. Pages of a folder have most of theirs in common, and these lead to the same. */
export class LinkReferences implements LinkSink {
  readonly #maxLength: number;
  readonly #folders = new Map<string, Map<string, Reference>>();
  #folder = new Map<string, Reference>();
  /** Those that depend on the page itself. */
  readonly #ofPage = new Map<string, Reference>();
  readonly #references: Reference[] = [];
  readonly #anchors: string[] = [];
  #page = 0;
  #count = 0;

  /** @param maxLength characters; longer ones are left out */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** The links of a page begin. */
  begin(url: string): void {
    this.#page++;
    this.#references.length = this.#anchors.length = 0;
    this.#ofPage.clear();
    if (this.#count > MOST) {
      this.#folders.clear();
      this.#count = 0;
    }
    const query = url.indexOf('?');
    const path = query < 0 ? url : url.slice(0, query);
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    let known = this.#folders.get(folder);
    if (!known) this.#folders.set(folder, (known = new Map<string, Reference>()));
    this.#folder = known;
  }

  link(reference: string): number {
    if (reference.length > this.#maxLength) return -1;
    const isOfPage = reference === '' || reference.charCodeAt(0) <= 0x20 || reference.startsWith('?');
    const known = isOfPage ? this.#ofPage : this.#folder;
    let found = known.get(reference);
    if (!found) {
      known.set(reference, (found = { reference, target: undefined, page: 0, index: 0 }));
      this.#count++;
    }
    if (found.page === this.#page) return this.#anchors[found.index] === '' ? found.index : -1;
    found.page = this.#page;
    found.index = this.#references.push(found) - 1;
    this.#anchors.push('');
    return found.index;
  }

  setAnchor(link: number, anchor: string): void {
    this.#anchors[link] ||= anchor;
  }

  /** The links of the page, in order. */
  each(take: (reference: Reference, anchor: string) => void): void {
    for (let i = 0; i < this.#references.length; i++) take(this.#references[i]!, this.#anchors[i]!);
  }
}
