import { TO_PART } from '../../core/index.js';
import { MARKS } from '../facts/facts.js';
import { decoded, hasPlace } from '../facts/places.js';
import { ROW } from '../collect/row-table.js';
import type { Sources } from '../collect/sources.js';
import { createRules, type Found, type Site, type Target } from '../rule.js';
import { pagesThat } from './texts.js';

/** If a page lacks at least this number of fragments, and this share of the requested ones, its ids are probably made by scripts. */
const MIN_MISSING = 5;
const SHARE = 0.5;
/** Fragments that scripts read: routes, states, lines of code. */
const SCRIPTED = /^(?:[/!?]|L\d+(?:-L?\d+)?$|issuecomment-|discussion_r|tag\/|operation\/)|[=&/]/;
/** A range of lines, as source views write it. Without scripts, it is an id. */
const LINES = /^\d+-\d+$/;
/** Fragments that every page has, without an element. */
const BUILT_IN = /^(?:top)?$/i;

interface Missing {
  readonly fragment: string;
  readonly sources: Sources;
}

export const FRAGMENT_RULES = createRules('fragments', {
  'fragment-missing': {
    severity: 'warn',
    title: 'Links to a place on a page that the page does not have',
    help: 'Change the part after # to an id of the page, or give the element this id.',
    on: 'target',
    check(target, site) {
      if (target.fragments.size === 0 || target.row === undefined) return undefined;
      return target.verdict === 'redirect' ? afterRedirect(target, site) : judge(target, target, site, target.row);
    },
  },
});

/** Judges the page at the end of a redirect. A redirect keeps the fragment, unless its own address has a fragment. */
async function afterRedirect(target: Target, site: Site): Promise<readonly Found[] | undefined> {
  const chain = site.rows.chainOf(target.row!);
  if (chain.isLoop || chain.end === undefined || !isJudged(site, chain.end)) return undefined;
  for (const hop of chain.hops) {
    if ((await site.look(await site.urlOf(hop)))?.protocolStatus?.message === TO_PART) return undefined;
  }
  const url = await site.urlOf(chain.end);
  const facts = await site.factsOf(url);
  return facts && judge(target, { ids: facts.ids, marks: facts.marks, ownPlaces: 0, url }, site, chain.end);
}

function judge(
  { url, fragments }: Target,
  page: Pick<Target, 'ids' | 'marks' | 'ownPlaces' | 'url'>,
  site: Site,
  row: number,
): readonly Found[] | undefined {
  if (!isJudged(site, row) || page.marks & MARKS.truncated) return undefined;
  const ids = new Set(page.ids);
  const linked = [...fragments].map(([fragment, sources]) => ({ fragment, sources }));
  const missing = linked.filter(({ fragment }) => !BUILT_IN.test(fragment) && !hasPlace(ids, fragment));
  if (missing.length === 0) return undefined;
  const hasScripts = (page.marks & MARKS.scripts) !== 0;
  const isApp = (page.marks & MARKS.app) !== 0 || (ids.size < 2 && hasScripts);
  const isMost =
    hasScripts && missing.length >= MIN_MISSING && missing.length > SHARE * (linked.length + page.ownPlaces);
  const scripted = missing.filter(
    ({ fragment }) => isApp || isMost || SCRIPTED.test(decoded(fragment)) || (hasScripts && LINES.test(fragment)),
  );
  const plain = missing.filter((each) => !scripted.includes(each));
  const found = plain.map(({ fragment, sources }): Found => {
    const readable = decoded(fragment);
    return {
      url: `${url}#${fragment}`,
      message: `${page.url} has no place "${readable}". ${pagesThat(sources.total)} there.`,
      evidence: { fragment: readable, ...(page.url !== url && { page: page.url }) },
      sources,
    };
  });
  return scripted.length === 0 ? found : [...found, madeByScripts(url, scripted)];
}

/** Returns one notice for a page, because the fragments may exist after its scripts have run. */
function madeByScripts(url: string, missing: readonly Missing[]): Found {
  const all = missing.map(({ fragment }) => decoded(fragment)).sort();
  const [most] = [...missing].sort((a, b) => b.sources.total - a.sources.total);
  return {
    url,
    part: 'scripts',
    severity: 'notice',
    message: `${all.length === 1 ? '1 place' : `${all.length} places`} on ${url} may be made by scripts: ${all.slice(0, 3).join(', ')}.`,
    evidence: { fragments: all.slice(0, 20) },
    sources: most!.sources,
  };
}

/** Whether the ids of a page are all known. Otherwise no fragment can be reported as missing. */
function isJudged({ rows }: Site, row: number): boolean {
  return rows.is(row, ROW.html) && rows.is(row, ROW.facts);
}
