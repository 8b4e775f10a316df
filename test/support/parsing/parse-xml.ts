import { xmlParser } from '../../../packages/parse/index.js';
import type { ParsedPage, ParseOutcome } from '../../../packages/plugin-api/index.js';
import { PARSE_SETTINGS, type PageOptions } from './parse-page.js';

/** The result of the XML parser for a document, as if it had been fetched. */
export async function xmlOutcome(xml: string | Uint8Array, options: PageOptions = {}): Promise<ParseOutcome> {
  const settings = {
    ...PARSE_SETTINGS,
    parser: { ...PARSE_SETTINGS.parser, ...options.parser },
    db: { ...PARSE_SETTINGS.db, ...options.db },
  };
  return xmlParser(settings).parse({
    url: options.url ?? 'http://h.com/d/x.xml',
    content: typeof xml === 'string' ? Buffer.from(xml) : xml,
    contentType: 'application/xml',
    headers: options.headers ?? {},
    ...(options.truncated !== undefined && { truncated: options.truncated }),
  });
}

/** The page of a document. It fails if the document cannot be parsed. */
export async function parseXml(xml: string | Uint8Array, options: PageOptions = {}): Promise<ParsedPage> {
  const outcome = await xmlOutcome(xml, options);
  if (outcome.kind !== 'success') throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome;
}
