import { readFile, stat } from 'node:fs/promises';
import { CrawlError, messageOf, safeText } from '../../errors/index.js';

export interface Logo {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const MAX_BYTES = 256 * 1024;

/** For each media type, a pattern for the first bytes of a file. Each byte is read as one character. */
const KINDS: Readonly<Record<string, RegExp>> = {
  'image/png': /^\x89PNG\r\n/,
  'image/jpeg': /^\xff\xd8\xff/,
  'image/gif': /^GIF8[79]a/,
  'image/webp': /^RIFF[^]{4}WEBP/,
  'image/svg+xml': /^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml|!--|!DOCTYPE svg)[^]*<svg|^(?:\xef\xbb\xbf)?\s*<svg/i,
};

/**
 * Reads the picture that the operator has set. The media type is found from the content.
 * @throws CrawlError BAD_SETTING when the picture cannot be read, is too large, or has another format
 */
export async function readLogo(path: string): Promise<Logo> {
  const wrong = (found: string): CrawlError =>
    new CrawlError('BAD_SETTING', `expected a picture at search.site.logo, ${safeText(path)}, found ${found}`, {
      hint: 'name a file of at most 256 KiB: SVG, PNG, JPEG, GIF or WebP',
    });
  let bytes: Buffer;
  try {
    const { size } = await stat(path);
    if (size > MAX_BYTES) throw wrong(`${size} bytes`);
    bytes = await readFile(path);
  } catch (error) {
    throw error instanceof CrawlError ? error : wrong(messageOf(error));
  }
  const start = bytes.toString('latin1', 0, 4096);
  const type = Object.keys(KINDS).find((name) => KINDS[name]!.test(start));
  if (type === undefined) throw wrong('another kind of file');
  return { type, bytes };
}

/** The content security policy for the picture. If a browser opens an SVG as a page, the scripts in the SVG must not run. */
export const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
