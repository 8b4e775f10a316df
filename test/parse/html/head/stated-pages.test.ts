import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../packages/audit/facts/plugin.js';
import { htmlDocument, mainContent, statedTimes, type ParsedPage } from '../../../../packages/core/index.js';
import { makeDigest } from '../../../../packages/jobs/changes/make-digest.js';
import { hashOf } from '../../../../packages/util/index.js';
import { openContext, pageDump, rowKeyOf } from '../../../../packages/webcrawl/internal.js';
import { PARSE_SETTINGS, parsePage } from '../../../support/parsing/parse-page.js';
import { BODY, SITE, STATED_PAGES, type StatedPage, type Statements } from './stated-pages.js';

const URL_ = `${SITE}d/page`;
const DIGEST_SETTINGS = { parser: PARSE_SETTINGS.parser } as never;
const FIELDS = [
  'canonical',
  'hreflang',
  'feeds',
  'h1',
  'publishedAt',
  'statedModifiedAt',
  'jsonLd',
  'siteName',
  'image',
] as const;

/** A mistake in the markup, after which parse reads a page from its tree. */
const MISNESTED = '<b><i>more</b> words</i>';

interface ReadPage {
  readonly content: Uint8Array;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly parsed: ParsedPage;
}

function read(page: StatedPage, more = ''): ReadPage {
  const { root = '', head, body = BODY, headers = {}, contentType = 'text/html', encode = Buffer.from } = page;
  const content = encode(`<!doctype html><html ${root}><head>${head}</head><body>${body}${more}</body></html>`);
  return { content, contentType, headers, parsed: parsePage(content, { url: URL_, headers, contentType }) };
}

function ofParse({ parsed }: ReadPage): Statements {
  const { title, metadata, language, canonical, refresh, headings, outlinks } = parsed;
  const { published, modified } = statedTimes(metadata);
  const versions = Object.entries(metadata).flatMap(([name, url]) =>
    name.startsWith('hreflang:') ? [[name.slice('hreflang:'.length), url] as const] : [],
  );
  return stated({
    title,
    description: metadata['description'],
    language,
    canonical,
    versions: Object.fromEntries(versions),
    h1: headings?.[0],
    published: published?.time,
    modified: modified?.time,
    siteName: metadata['og:site_name'],
    refresh: refresh?.url,
    link: outlinks[0]?.url,
  });
}

async function ofExport({ content, contentType, headers, parsed }: ReadPage): Promise<Statements> {
  await using crawl = await openContext({ table: 'memory:' });
  const { dump } = await pageDump(crawl.settings, FIELDS);
  const { canonical, charset } = parsed;
  const parseStatus = { code: 'success', ...(charset && { charset }), ...(canonical && { canonical }) };
  let invalid = 0;
  const row = dump({ key: rowKeyOf(URL_), content, contentType, headers, parseStatus }, () => void invalid++);
  const { hreflang, feeds, jsonLd, publishedAt, statedModifiedAt, key: _key, url: _url, ...others } = row;
  return stated({
    ...others,
    published: publishedAt,
    modified: statedModifiedAt,
    versions: hreflang,
    feeds: (feeds as { readonly url: string }[] | undefined)?.map(({ url }) => url),
    blocks: (jsonLd as unknown[] | undefined)?.length,
    invalid,
  });
}

function treeOf({ content, contentType, parsed }: ReadPage) {
  return htmlDocument({ content, contentType, charset: parsed.charset }, PARSE_SETTINGS)!;
}

function ofAudit(page: ReadPage): Statements {
  const document = () => treeOf(page);
  const facts = factsOf({ ...page, ...page.parsed, url: URL_, truncated: false, document });
  const versions = facts.alternates.map(({ tag, url }) => [tag.toLowerCase().replaceAll('_', '-'), url] as const);
  const links = facts.links.map(({ to, kind }) => [kind, typeof to === 'number' ? page.parsed.outlinks[to]!.url : to]);
  return stated({
    description: facts.description,
    canonical: facts.canonicals[0]?.url,
    // The audit reports values that are no language, and the first of two URLs counts for it too.
    versions: Object.fromEntries(versions.filter(([tag]) => !tag.includes(',')).toReversed()),
    h1: facts.h1,
    invalid: facts.badJsonLd,
    refresh: links.find(([kind]) => kind === 6)?.[1],
    link: links.find(([kind]) => kind === 0)?.[1],
  });
}

/** Leaves out what a page does not state, and writes times as milliseconds. */
function stated(found: Record<string, unknown>): Statements {
  const kept = Object.entries(found).filter(
    ([, value]) =>
      value !== undefined &&
      value !== '' &&
      value !== 0 &&
      Object.keys(Object(value) as object).length + Number(typeof value === 'number') > 0,
  );
  return Object.fromEntries(kept);
}

/** The statements that a reader can give, of those of a page. */
function some({ published, modified, ...others }: Statements, names: readonly (keyof Statements)[]): Statements {
  const all = { ...others, published: published && Date.parse(published), modified: modified && Date.parse(modified) };
  return stated(Object.fromEntries(names.map((name) => [name, all[name]])));
}

describe.each(STATED_PAGES.map((page) => [page.name, page] as const))('%s', (_, page) => {
  const { states } = page;

  it.each([
    ['by scanning', ''],
    ['from its tree', MISNESTED],
  ])('is read by parse %s', (_way, more) => {
    expect(ofParse(read(page, more))).toEqual(
      some(states, [
        'title',
        'description',
        'language',
        'canonical',
        'versions',
        'h1',
        'published',
        'modified',
        'siteName',
        'refresh',
        'link',
      ]),
    );
  });

  it('is read by the computed fields of exports', async () => {
    expect(await ofExport(read(page))).toEqual(
      some(states, [
        'canonical',
        'versions',
        'feeds',
        'h1',
        'published',
        'modified',
        'blocks',
        'invalid',
        'siteName',
        'image',
      ]),
    );
  });

  it('is read by the audit', () => {
    expect(ofAudit(read(page))).toEqual(
      some(states, ['description', 'canonical', 'versions', 'h1', 'invalid', 'refresh', 'link']),
    );
  });

  it('has these statements in its digest for the change log', () => {
    const digest = makeDigest(URL_, read(page).parsed, 'html', DIGEST_SETTINGS);
    const hashed = (text = ''): number => (text === '' ? 0 : hashOf(text));
    expect(digest).toMatchObject({
      titleText: states.title ?? '',
      title: hashed(states.title),
      description: hashed(states.description),
      canonical: hashed(states.canonical),
    });
  });

  it('resolves the links of its main content against the same base', () => {
    const document = treeOf(read({ ...page, body: '<p>Words of the page, with a <a href="x?q=1">link</a>.</p>' }));
    const content = mainContent({ url: URL_, document }, { parser: PARSE_SETTINGS.parser } as never)!;
    const base = states.link?.startsWith(`${SITE}b/`) ? `${SITE}b/` : `${SITE}d/`;
    expect(JSON.stringify(hrefsIn(content))).toContain(`${base}x?q=1`);
  });
});

function hrefsIn(element: ReturnType<typeof mainContent> & object): string[] {
  return element.childNodes.flatMap((node) =>
    'attrs' in node
      ? [...node.attrs.flatMap(({ name, value }) => (name === 'href' ? [value] : [])), ...hrefsIn(node)]
      : [],
  );
}
