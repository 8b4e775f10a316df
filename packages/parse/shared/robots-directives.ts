import type { RobotsDirectives } from '../../plugin-api/index.js';

/**
 * Matches the name of a robot: one word that is not a number. A number before a colon is the time in a date. An empty name also matches.
 */
const NAME = /^(?:(?=.*[a-z])\S+)?$/;

/** Matches a limit on snippets. A negative number means no limit, so it does not match. */
const MAX_SNIPPET = /(?<![\w-])max-snippet\s*:\s*(\d{1,9})(?!\d)/g;

/** Directives with a value after a colon. Any other name before a colon is the name of a robot. */
const WITH_VALUE = /^(unavailable_after|max-snippet|max-image-preview|max-video-preview)$/;

const KNOWN: ReadonlySet<string> = new Set(['none', 'noindex', 'nofollow', 'noarchive']);

/**
 * Combines the directives of a page for robots. All directives for this crawler apply, and a directive never cancels another. So `all`
 * has no effect, and the strictest directive applies.
 */
export class RobotsReader {
  readonly #names: ReadonlySet<string>;
  readonly #said = new Set<string>();
  #maxSnippet = Infinity;

  /**
   * Reads the `X-Robots-Tag` header. A directive in the header may begin with the name of a robot (`otherbot: noindex`). This name
   * applies to all directives up to the next name, or up to the end of the line. The date of an `unavailable_after` may contain a comma;
   * directives after the date are read too. If a repeated header was joined by commas, its lines can no longer be distinguished.
   * @param agentName the name by which a page may address this crawler
   */
  constructor(agentName: string, header: string | undefined) {
    this.#names = new Set(['robots', '*', agentName.toLowerCase()]);
    for (const line of header?.toLowerCase().split('\n') ?? []) this.#addLine(line);
  }

  /** Adds a `meta` element. It is ignored if it is for another robot, or if it is not about robots. */
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
