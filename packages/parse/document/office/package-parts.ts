import type { unzipSync } from 'fflate';

/** Maximum bytes of an unpacked part; a larger part is not unpacked. */
const MAX_PART_BYTES = 64 * 1024 * 1024;

export class PartTooLarge extends Error {}

/** The parts of a document that is a zip archive. Only a part that is read is unpacked, so at most one unpacked part is in memory. */
export class PackageParts {
  readonly #unzip: typeof unzipSync;
  readonly #content: Uint8Array;
  /** The names of parts as in the archive. The key is the name in the form of {@link plainName}. */
  readonly #names = new Map<string, string>();
  /** Whether a part was left out because it was too large or damaged. */
  truncated = false;

  /**
   * @param unzip the function of the package fflate
   * @throws if the content is not a zip archive, or the end of the archive is missing
   */
  constructor(unzip: typeof unzipSync, content: Uint8Array) {
    this.#unzip = unzip;
    this.#content = content;
    unzip(content, {
      filter: ({ name }) => {
        this.#names.set(plainName(name), name);
        return false;
      },
    });
  }

  /**
   * Returns the text of a part. Undefined: the part does not exist.
   * @throws PartTooLarge; an error if the part is damaged
   */
  read(name: string): string | undefined {
    const inArchive = this.#names.get(plainName(name));
    if (inArchive === undefined) return undefined;
    // fflate drops bytes beyond the stated size of a part.
    const parts = this.#unzip(this.#content, {
      filter: ({ name: each, originalSize }) => {
        if (each === inArchive && originalSize > MAX_PART_BYTES)
          throw new PartTooLarge(`a part that unpacks to ${originalSize} bytes`);
        return each === inArchive;
      },
    });
    const bytes = parts[inArchive];
    return bytes && new TextDecoder(encodingOf(bytes)).decode(bytes);
  }

  /**
   * Returns the text of an optional part. Undefined: the part does not exist, is damaged or is too large. In the last two cases,
   * `truncated` is set.
   */
  readOptional(name: string): string | undefined {
    try {
      return this.read(name);
    } catch {
      this.truncated = true;
      return undefined;
    }
  }
}

/**
 * Returns the form of a name for comparisons: in lower case, because Open Packaging Conventions ignore letter case, and without a slash
 * at the start.
 */
function plainName(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

/** XML of packages is in UTF-8 or UTF-16. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
}

/** Returns the name of the part to which another part refers. Undefined: the reference is invalid. */
export function resolvePart(reference: string, from: string): string | undefined {
  try {
    return decodeURIComponent(new URL(reference, `http://part/${from.replace(/^\/+/, '')}`).pathname).slice(1);
  } catch {
    return undefined;
  }
}
