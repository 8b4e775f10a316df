import { once } from '../../util/index.js';
import { ROW } from '../collect/row-table.js';
import { MARKS } from '../facts/facts.js';
import { createRules, type Site, type Target } from '../rule.js';
import { lost } from './links.js';
import { endingText, pagesThat } from './texts.js';

/** Adds a pair of pages: the first names the second as a version of itself, but the second does not name the first. */
export async function noteNoReturn(from: number, to: number, { rows, urlOf, group: add }: Site): Promise<void> {
  const isOwn = (row: number): boolean =>
    rows.is(row, ROW.page) && rows.is(row, ROW.facts) && !rows.is(row, ROW.notCanonical);
  // Other rules report a version that is not a page, or that names another page as canonical.
  if (!isOwn(from) || !isOwn(to) || rows.is(to, ROW.noindex)) return;
  await add('hreflang-no-return', await urlOf(to), {
    row: from,
    url: await urlOf(from),
    impact: rows.share(from) || 1,
  });
}

function flawOf(target: Target, { rows }: Site): string | undefined {
  const { verdict, row } = target;
  if (verdict === 'broken' || (verdict === 'failing' && target.isTwice)) return endingText(target);
  if (verdict === 'redirect') return 'redirects';
  if (row === undefined || !rows.is(row, ROW.page)) return undefined;
  if (rows.is(row, ROW.noindex)) return 'says noindex';
  return rows.is(row, ROW.notCanonical) ? 'names another canonical' : undefined;
}

/** Frequent wrong tags, with the right ones. */
const LIKELY: ReadonlyMap<string, string> = new Map([
  ['en-uk', 'en-GB'],
  ['jp', 'ja'],
  ['cn', 'zh'],
  ['dk', 'da'],
  ['gr', 'el'],
  ['cz', 'cs'],
  ['ua', 'uk for Ukrainian'],
  ['vn', 'vi'],
]);

const LANGUAGES =
  'aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ' +
  'ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu ' +
  'lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so ' +
  'sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu';

const REGIONS =
  'ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bl bm bn bo bq br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr ' +
  'cu cv cw cx cy cz de dj dk dm do dz ec ee eg eh er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu ' +
  'id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mf mg mh mk ml mm mn mo mp mq ' +
  'mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si ' +
  'sj sk sl sm sn so sr ss st sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug um us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw';

const languages = once((): ReadonlySet<string> => new Set(LANGUAGES.split(' ')));
const regions = once((): ReadonlySet<string> => new Set(REGIONS.split(' ')));

/** Whether search engines accept a tag, in any letter case. */
export function isHreflang(tag: string): boolean {
  const lower = tag.toLowerCase();
  if (lower === 'x-default') return true;
  const [language = '', ...rest] = lower.split('-');
  if (!languages().has(language)) return false;
  if (/^[a-z]{4}$/.test(rest[0] ?? '')) rest.shift();
  const [region, ...more] = rest;
  return more.length === 0 && (region === undefined || regions().has(region) || region === '419');
}

export const HREFLANG_RULES = createRules('hreflang', {
  /** Reports each page that other pages name as a version, but that does not name them. */
  'hreflang-no-return': {
    severity: 'warn',
    title: 'A version in another language does not name this one',
    help: 'Let every version name all versions, also itself. Search engines ignore a link without a link back.',
    on: 'group',
    check({ key, total, members, impact }) {
      const from = members.slice(0, 20).map(({ url }) => url);
      return {
        url: key,
        impact,
        message: `${total === 1 ? from[0]! : `${total} pages`} name${total === 1 ? 's' : ''} ${key} as a version in another language, and ${key} does not name ${total === 1 ? 'it' : 'them'}.`,
        evidence: { named: from },
      };
    },
  },
  'hreflang-broken': {
    severity: 'warn',
    title: 'Search engines do not show a version in another language',
    help: 'Name an address that exists, does not redirect, and is its own canonical.',
    on: 'target',
    check(target, site) {
      const { alternates } = target;
      if (alternates.total === 0) return undefined;
      const what = flawOf(target, site);
      if (what === undefined) return undefined;
      const isDefault = alternates.shown.every(({ anchor }) => anchor.toLowerCase() === 'x-default');
      return {
        ...lost(target, site),
        // The version for all other languages may redirect according to the language of the visitor.
        ...(isDefault && target.verdict === 'redirect' && { severity: 'notice' as const }),
        message: `${target.url} ${what}. ${pagesThat(alternates.total, 'name')} it as a version in another language.`,
        sources: alternates,
      };
    },
  },
  'hreflang-invalid': {
    severity: 'warn',
    title: 'The language code of a version is not valid',
    help: 'Write a language by ISO 639-1. If needed, add a script by ISO 15924 and a region by ISO 3166-1: en, en-GB, zh-Hant-TW.',
    on: 'page',
    check({ facts, url }) {
      const wrong = [...new Set(facts.alternates.map(({ tag }) => tag))].filter((tag) => !isHreflang(tag));
      if (wrong.length === 0) return undefined;
      return {
        message: `${url} names versions in ${wrong.map((tag) => `"${tag}"`).join(', ')}, which ${wrong.length === 1 ? 'is no language' : 'are no languages'} of hreflang.`,
        evidence: {
          tags: wrong.map((tag) => (LIKELY.has(tag.toLowerCase()) ? `${tag}: ${LIKELY.get(tag.toLowerCase())}` : tag)),
        },
      };
    },
  },
  'hreflang-conflict': {
    severity: 'warn',
    title: 'One language is given to two addresses',
    help: 'Name one address for each language and region.',
    on: 'page',
    check({ facts, url }, { keyOf }) {
      const byTag = new Map<string, Set<string | undefined>>();
      for (const { tag, url: to } of facts.alternates) {
        const known = byTag.get(tag.toLowerCase()) ?? new Set();
        byTag.set(tag.toLowerCase(), known.add(keyOf(to)));
      }
      const tags = [...byTag].filter(([, keys]) => keys.size > 1).map(([tag]) => tag);
      if (tags.length === 0) return undefined;
      return { message: `${url} names several addresses for ${tags.join(', ')}.`, evidence: { tags } };
    },
  },
  'hreflang-no-self': {
    severity: 'notice',
    title: 'A page is not among its own versions',
    help: 'Let the list of versions name the page itself too.',
    on: 'page',
    check({ facts, url, row, isIndexable }, { keyOf }) {
      // The stored URL may lack parameters that the page names.
      if (!isIndexable || facts.alternates.length === 0 || url.includes('?')) return undefined;
      if (facts.marks & MARKS.cutAlternates) return undefined;
      if (facts.alternates.some(({ url: to }) => keyOf(to) === row.key)) return undefined;
      return { message: `${url} names versions in other languages, and not itself.` };
    },
  },
});
