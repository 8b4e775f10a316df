import type { RobotsDirectives } from '../../plugin-api/index.js';

/** What may name a robot: one word, and no number, since the time of a date has colons too. */
const NAME = /^(?:(?=.*[a-z])\S+)?$/;

/** A negative number, which is no limit, is left out. */
const MAX_SNIPPET = /(?<![\w-])max-snippet\s*:\s*(\d{1,9})(?!\d)/g;

/** Directives that take a value after a colon; any other name before a colon is that of a robot. */
const WITH_VALUE = /^(unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

const KNOWN: ReadonlySet<string> = new Set(['none', 'noindex', 'nofollow', 'noarchive']);

/**
 * Adds what a page says to robots up. Every statement that is meant for us counts and none takes another back, so `all`
 * says nothing and the strictest wins.
 */
export class RobotsReader {
  readonly #names: ReadonlySet<string>;
  readonly #said = new Set<string>();
  #maxSnippet = Infinity;

  /**
   * Begins with the `X-Robots-Tag` header. A directive in it may be addressed (`otherbot: noindex`); the address holds
   * until the next, or the end of the line. The date of an `unavailable_after` may have a comma, and what follows it counts
   * all the same. Where a repeated header comes joined by commas, the lines can no longer be distinguished.
   * @param agentName the name by which a page may address us alone
   */
  constructor(agentName: string, header: string | undefined) {
    this.#names = new Set(['robots', '*', agentName.toLowerCase()]);
    for (const line of header?.toLowerCase().split('\n') ?? []) this.#addLine(line);
  }

  /** A `meta` element; one that addresses another robot, or says something else, is left out. */
  addMeta(name: string, content: string): void {
    if (this.#names.has(name)) this.#addWords(content);
  }

  #addLine(line: string): void {
    let forUs = true;
    for (const part of line.split(',')) {
      const colon = part.indexOf(':');
      const before = part.slice(0, Math.max(colon, 0)).trim();
      const addressed = colon !== -1 && NAME.test(before) && !WITH_VALUE.test(before);
      if (addressed) forUs = this.#names.has(before);
      if (forUs) this.#addWords(addressed ? part.slice(colon + 1) : part);
    }
  }

  get directives(): RobotsDirectives {
    const none = this.#said.has('none');
    return {
      noindex: none || this.#said.has('noindex'),
      nofollow: none || this.#said.has('nofollow'),
      noarchive: this.#said.has('noarchive'),
      ...(this.#maxSnippet < Infinity && { maxSnippet: this.#maxSnippet }),
    };
  }

  #addWords(text: string): void {
    const lower = text.toLowerCase();
    for (const word of lower.split(/[\s,;]+/)) {
      if (KNOWN.has(word)) this.#said.add(word);
      if (word === 'nosnippet') this.#maxSnippet = 0;
    }
    for (const [, most] of lower.matchAll(MAX_SNIPPET)) this.#maxSnippet = Math.min(this.#maxSnippet, Number(most));
  }
}
