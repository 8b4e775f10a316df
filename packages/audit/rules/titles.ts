import { createRules, type AuditedPage, type Group, type Site, type GroupId } from '../rule.js';

function same({ key, total, members, impact, distinct }: Group, what: string) {
  const [first] = members;
  if (total < 2 || distinct < 2 || !first) return undefined;
  return {
    url: first.url,
    key,
    impact,
    message: `${total} pages have the ${what} "${first.label}".`,
    evidence: { pages: members.slice(0, 20).map(({ url }) => url) },
  };
}

export async function noteTexts(
  { url, row, number, facts, hasFacts, isIndexable, saysNotFound }: AuditedPage,
  { group: add, keyOf }: Site,
): Promise<void> {
  if (!isIndexable || !hasFacts || saysNotFound) return;
  const impact = row.rank ?? row.inlinkBound ?? 0;
  // Versions for several regions may have the same text. Each names itself by its own tag, and is compared only with pages of this tag.
  const own = facts.alternates.find(({ tag, url: to }) => !/^x-default$/i.test(tag) && keyOf(to) === row.key);
  const language = (own?.tag ?? row.language?.split('-')[0] ?? '').toLowerCase();
  const note = (rule: GroupId, text: string): Promise<void> | void => {
    const plain = text.normalize('NFC').replace(/\s+/g, ' ').trim();
    if (plain === '') return undefined;
    return add(rule, `${language}\0${plain.toLowerCase()}`, { row: number, url, label: plain.slice(0, 160), impact });
  };
  if (facts.titles > 0) await note('title-duplicate', row.title ?? '');
  if (facts.description !== '') await note('description-duplicate', facts.description);
  else await add('description-missing', sectionOf(url), { row: number, url, impact });
}

/** Returns the first folder of a URL, or its host. */
function sectionOf(url: string): string {
  return /^https?:\/\/[^/]+\/(?:[^/?]+\/)?/.exec(url)?.[0] ?? url;
}

export const TITLE_RULES = createRules('titles', {
  'title-missing': {
    severity: 'error',
    title: 'A page has no title',
    help: 'Give the page a title element with text.',
    on: 'page',
    check({ isIndexable, hasFacts, facts, url, saysNotFound }) {
      if (!isIndexable || !hasFacts || facts.titles > 0 || saysNotFound) return undefined;
      return { message: `${url} has no title.` };
    },
  },
  'title-duplicate': {
    severity: 'warn',
    title: 'Pages have the same title',
    help: 'Give each page a title that differs from the titles of other pages.',
    on: 'group',
    check: (found) => same(found, 'title'),
  },
  'title-multiple': {
    severity: 'notice',
    title: 'A page has several titles',
    help: 'Keep only one title element. Browsers show the first.',
    on: 'page',
    check: ({ isIndexable, facts, url }) =>
      isIndexable && facts.titles > 1 ? { message: `${url} has ${facts.titles} titles.` } : undefined,
  },
  'description-missing': {
    severity: 'notice',
    title: 'Pages have no description',
    help: 'Add <meta name="description"> to pages that people should find.',
    on: 'group',
    check({ key, total, members, impact }) {
      return {
        url: key,
        impact,
        message: `${total === 1 ? '1 page' : `${total} pages`} below ${key} ${total === 1 ? 'has' : 'have'} no description.`,
        evidence: { pages: members.slice(0, 20).map(({ url }) => url) },
      };
    },
  },
  'description-duplicate': {
    severity: 'notice',
    title: 'Pages have the same description',
    help: 'Write a different description for each page, or none.',
    on: 'group',
    check: (found) => same(found, 'description'),
  },
  'h1-missing': {
    severity: 'notice',
    title: 'A page has no main heading',
    help: 'Give the page an h1 that says what it is about.',
    on: 'page',
    check: ({ isIndexable, hasFacts, facts, url }) =>
      isIndexable && hasFacts && !facts.headings.includes('1') ? { message: `${url} has no h1.` } : undefined,
  },
});
