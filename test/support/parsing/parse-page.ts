import { htmlParser, type ParseSettings } from '../../../packages/parse/index.js';
import type { ParsedPage, ParseOutcome } from '../../../packages/plugin-api/index.js';

/** The settings that parsers read, with their defaults. */
export const PARSE_SETTINGS: ParseSettings = {
  parser: {
    timeout: 30,
    characterEncodingDefault: 'windows-1252',
    htmlFormUseAction: false,
    htmlOutlinksIgnoreTags: ['img', 'script', 'link', 'source'],
    htmlOutlinksRelations: [],
    textLimit: 1_048_576,
  },
  db: { maxAnchorLength: 100, maxOutlinkLength: 4096 },
  http: { agentName: 'webcrawl' },
};

export interface PageOptions {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly truncated?: boolean;
  readonly contentType?: string;
  readonly parser?: Partial<ParseSettings['parser']>;
  readonly db?: Partial<ParseSettings['db']>;
}

/** Parses HTML as if it had been fetched. */
export function parsePage(html: string | Uint8Array, options: PageOptions = {}): ParsedPage {
  const settings = {
    ...PARSE_SETTINGS,
    parser: { ...PARSE_SETTINGS.parser, ...options.parser },
    db: { ...PARSE_SETTINGS.db, ...options.db },
  };
  const outcome = htmlParser(settings).parse({
    url: options.url ?? 'http://h.com/d/p.html',
    content: typeof html === 'string' ? Buffer.from(html) : html,
    contentType: options.contentType ?? 'text/html',
    headers: options.headers ?? {},
  }) as ParseOutcome;
  if (outcome.kind !== 'success') throw new Error(`${outcome.code}: ${outcome.message}`);
  return outcome;
}
