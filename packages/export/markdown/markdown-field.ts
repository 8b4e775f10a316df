import { optionalPackage } from '../../errors/index.js';
import type { Settings } from '../../../config/index.js';
import type { Field, PageRow } from '../../../webtable/index.js';
import { mainContent } from '../../parse/index.js';

const NEEDS = ['content', 'contentType', 'parseStatus'] as const satisfies readonly Field[];

/** Characters of a piece of HTML that are turned into Markdown: of one that could not be parted, what is beyond is left out. */
const LONGEST = 2 ** 18;

/** The computed field `markdown`: the main content of a page of HTML. */
export const markdownField = {
  needs: NEEDS,
  type: 'STRING',
  load: async (settings: Settings) => {
    const toMarkdown = await loadMarkdown();
    return ({ content, contentType, parseStatus }: PageRow<Field>, url: string): string | undefined => {
      if (content === undefined) return undefined;
      const input = { url, content, contentType: contentType ?? 'text/html', charset: parseStatus?.charset };
      const pieces = mainContent(input, settings)?.map((html) => toMarkdown(html.slice(0, LONGEST)).trim());
      const markdown = (pieces ?? []).filter((piece) => piece !== '').join('\n\n');
      return markdown === '' ? undefined : markdown;
    };
  },
} as const;

/**
 * Loads the package that turns HTML into Markdown.
 * @throws CrawlError MISSING_PACKAGE with the line that installs it, where it is missing
 */
async function loadMarkdown(): Promise<(html: string) => string> {
  const { NodeHtmlMarkdown } = await optionalPackage(
    'node-html-markdown',
    'Markdown',
    () => import('node-html-markdown'),
  );
  const converter = new NodeHtmlMarkdown({ keepDataImages: false });
  return (html) => converter.translate(html);
}
