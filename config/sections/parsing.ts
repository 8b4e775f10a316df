import { z } from 'zod';
import { count, bytes, section } from './types.js';

function isEncoding(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

export const parser = section({
  timeout: z.number().min(0.001).max(86_400).default(30).describe('Maximum seconds for parsing one page'),
  threads: count
    .min(-1)
    .max(64)
    .default(-1)
    .describe(
      'Number of threads that parse pages, started when there are enough pages; each loads the modules of `plugins` itself. ' +
        '0: parse in the main thread. -1: one thread, if there is more than one processor',
    ),
  skipTruncated: z.boolean().default(false).describe('Do not parse bodies that were cut at http.contentLimit'),
  characterEncodingDefault: z
    .string()
    .refine(isEncoding, 'the name of an encoding, such as utf-8')
    .default('windows-1252')
    .describe(
      'Encoding of a page if neither byte order mark, header nor page names one, and the page is not valid UTF-8',
    ),
  htmlFormUseAction: z.boolean().default(false).describe('Whether the action of a GET form is a link'),
  htmlOutlinksIgnoreTags: z
    .array(z.string())
    .default(['img', 'script', 'link', 'source'])
    .describe('Elements whose URLs are not links'),
  htmlOutlinksRelations: z
    .array(z.enum(['alternate', 'next', 'prev', 'feed']))
    .default([])
    .describe(
      '`link` elements with these relations are links, even if `parser.htmlOutlinksIgnoreTags` names `link`: the page in another ' +
        'language (`alternate` with `hreflang`), the next and the previous page, and feeds (`alternate` with the type of RSS or Atom)',
    ),
  textLimit: bytes.default(1_048_576).describe('Maximum number of characters of text to keep. -1: no limit'),
  audit: z
    .boolean()
    .default(false)
    .describe(
      'Store the data of each page for `audit` in the field `audit` of `custom`: links with fragments, ids, titles, canonicals and ' +
        'languages. Without it, an audit reads the bodies of pages, which takes longer. The verb `audit` sets it when it crawls',
    ),
  keepCaptions: z
    .boolean()
    .default(false)
    .describe('Whether the main content (fields `markdown` and `mainText`, chunks) includes the captions of pictures'),
  siteContent: z
    .boolean()
    .default(true)
    .describe(
      'Whether the main content of a page also depends on a sample of the pages of its site, which an export reads. ' +
        'false: each page is read by itself',
    ),
});
