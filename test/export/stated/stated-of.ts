import { openContext, pageDump, rowKeyOf, type PageField } from '../../../packages/webcrawl/internal.js';

/** The URL of the page. */
export const PAGE = 'https://a.com/d/page';

/** The computed fields of a page, and how much they skipped. */
export async function statedOf<F extends PageField>(
  html: string,
  fields: readonly F[],
  {
    url = PAGE,
    fetchedAt,
    canonical,
  }: { readonly url?: string; readonly fetchedAt?: number; readonly canonical?: string } = {},
): Promise<{ readonly values: Record<string, unknown>; readonly skipped: number }> {
  await using crawl = await openContext({ table: 'memory:' });
  const { dump } = await pageDump(crawl.settings, fields);
  let skipped = 0;
  const row = {
    key: rowKeyOf(url),
    content: Buffer.from(html),
    contentType: 'text/html',
    ...(fetchedAt !== undefined && { fetchedAt }),
    ...(canonical !== undefined && { parseStatus: { code: 'success', canonical } }),
  };
  const { key: _key, url: _url, ...values } = dump(row, () => void skipped++);
  return { values, skipped };
}

/** A JSON-LD block. */
export function jsonLd(json: unknown): string {
  const text = typeof json === 'string' ? json : JSON.stringify(json);
  return `<script type="application/ld+json">${text}</script>`;
}
