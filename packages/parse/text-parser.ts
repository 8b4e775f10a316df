import type { Parser } from '../plugin-api/index.js';
import { decodeText, fallbackEncoding } from './charset/charset.js';
import { languageTag } from './html/head/language-tag.js';
import type { ParseSettings } from './shared/parse-settings.js';
import { RobotsReader } from './shared/robots-directives.js';
import { readTextSitemap } from './xml/sitemap.js';
import { TextBuilder } from './shared/text-builder.js';

/**
 * Reads plain text. The result has no title. It has links only if the text is a text sitemap.
 *
 * @throws CrawlError BAD_SETTING if `parser.characterEncodingDefault` names no encoding
 */
export function textParser(settings: ParseSettings): Parser {
  const { characterEncodingDefault, textLimit } = settings.parser;
  fallbackEncoding(characterEncodingDefault);
  return {
    contentTypes: ['text/plain'],
    parse({ url, content, headers, truncated = false }) {
      const decoded = decodeText(content, headers['content-type'], characterEncodingDefault, () => undefined);
      const text = new TextBuilder(textLimit);
      text.add(decoded.text);
      const { directives } = new RobotsReader(settings.http.agentName, headers['x-robots-tag']);
      const list = readTextSitemap(decoded.text, settings.db.maxOutlinkLength, truncated);
      const language = languageTag(headers['content-language']);
      return {
        kind: 'success',
        title: '',
        text: text.toString(),
        outlinks: list && !directives.nofollow ? list.resolve(url) : [],
        robots: list ? { ...directives, noindex: true } : directives,
        metadata: {},
        charset: decoded.charset,
        charsetSource: decoded.charsetSource,
        ...(list && { sitemap: true }),
        ...(language !== undefined && { language }),
        ...(list?.truncated && { truncated: true }),
      };
    },
  };
}
