/** Made-up pages with known duplicates, in English and in Chinese. They are the same on every run. */
import { mix, wordOf } from './made-page.js';

export const EDITS = [
  'same bytes',
  'date changed',
  '1 % of words',
  '2 % of words',
  '5 % of words',
  '10 % of words',
  'navigation changed',
  'sentence added',
] as const;
export type Edit = (typeof EDITS)[number];

export const LANGUAGES = ['English', 'Chinese'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A page of the set. Pages of one `family` are duplicates of each other, and of no others, though many pages share a template. */
export interface MadeDuplicate {
  readonly url: string;
  readonly text: string;
  readonly family: number;
  readonly language: Language;
  readonly edit?: Edit;
}

const PAGES_PER_SITE = 50;
const VOCABULARY = 20_000;
const SYLLABLES = 'ta re mi so lan ber ing con de ver al stre on pu ka ti or ne sha qui ful ment ra dex'.split(' ');
const HAN_CHARACTERS = 3000;
const MENU_WORDS = 60;

/** @param families number of originals; edits are applied in turn until there are `copies` duplicates */
export function* madeDuplicates(families: number, copies: number): Generator<MadeDuplicate> {
  for (let family = 0; family < families; family++) {
    const language = LANGUAGES[family % 2]!;
    const site = Math.floor(family / PAGES_PER_SITE);
    const url = `http://s${site}.example/${family}`;
    const page = makePage(family, site, language);
    yield { url, text: textOf(page, language), family, language };
    for (let copy = 0; copy < copies; copy++) {
      const n = Math.floor(family / 2) * copies + copy;
      const edit = EDITS[n % EDITS.length]!;
      yield { url: `${url}?copy=${copy}`, text: textOf(edited(page, edit, n), language), family, language, edit };
    }
  }
}

interface Parts {
  readonly menu: readonly string[];
  readonly date: readonly string[];
  readonly body: readonly string[];
  readonly language: Language;
}

function makePage(family: number, site: number, language: Language): Parts {
  const words = Math.round(20 * 2 ** ((mix(family, 1) / 2 ** 32) * 5.8));
  return {
    menu: wordsOf(mix(site, 2), MENU_WORDS, language),
    date: dateOf(family),
    body: wordsOf(mix(family, 3), words, language),
    language,
  };
}

function edited(page: Parts, edit: Edit, n: number): Parts {
  const { body, language } = page;
  if (edit === 'same bytes') return page;
  if (edit === 'date changed') return { ...page, date: dateOf(mix(n, 4)) };
  if (edit === 'navigation changed') return { ...page, menu: wordsOf(mix(n, 5), MENU_WORDS, language) };
  if (edit === 'sentence added') {
    const at = mix(n, 6) % body.length;
    return { ...page, body: [...body.slice(0, at), ...wordsOf(mix(n, 7), 15, language), ...body.slice(at)] };
  }
  const others = Math.max(1, Math.round((body.length * Number.parseInt(edit)) / 100));
  const changed = [...body];
  for (let i = 0; i < others; i++) changed[mix(n, 8, i) % body.length] = wordsOf(mix(n, 9, i), 1, language)[0]!;
  return { ...page, body: changed };
}

function dateOf(seed: number): string[] {
  return ['2026', String(1 + (mix(seed, 10) % 12)), String(1 + (mix(seed, 11) % 28))];
}

function textOf({ menu, date, body }: Parts, language: Language): string {
  const space = language === 'English' ? ' ' : '';
  const lines: string[] = [menu.join(' '), date.join('-')];
  for (let at = 0; at < body.length; at += 18) {
    lines.push(`${body.slice(at, at + 18).join(space)}${language === 'English' ? '.' : '。'}`);
  }
  return lines.join('\n');
}

/** Words with the frequencies of a natural language: the most frequent ones make up much of a text. */
function wordsOf(seed: number, count: number, language: Language): string[] {
  return Array.from({ length: count }, (_, i) => {
    const rank = Math.floor(VOCABULARY ** (mix(seed, i) / 2 ** 32)) - 1;
    return language === 'English' ? wordOf(SYLLABLES, rank) : chineseWord(rank);
  });
}

function chineseWord(rank: number): string {
  const length = rank < 100 ? 1 : 2;
  return Array.from({ length }, (_, i) => String.fromCharCode(0x4e00 + (mix(rank, 12, i) % HAN_CHARACTERS))).join('');
}

/** @param duplicateOf returns the URL of the page that is kept in place of this one; undefined for a page that is no duplicate */
export function scoreDuplicates(pages: Iterable<MadeDuplicate>, duplicateOf: (url: string) => string | undefined) {
  const families = new Map<string, number>();
  const groups = new Map<number, string>();
  const counts = new Map<string, { copies: number; found: number }>();
  const marked: { family: number; kept: string }[] = [];
  for (const { url, family, language, edit } of pages) {
    const kept = duplicateOf(url);
    const group = kept ?? url;
    families.set(url, family);
    if (kept !== undefined) marked.push({ family, kept });
    if (edit === undefined) {
      groups.set(family, group);
      continue;
    }
    const name = `${language} ${edit}`;
    const { copies, found } = counts.get(name) ?? { copies: 0, found: 0 };
    counts.set(name, { copies: copies + 1, found: found + (groups.get(family) === group ? 1 : 0) });
  }
  const right = marked.filter(({ family, kept }) => families.get(kept) === family).length;
  return {
    /** The share of marked pages that are duplicates of a page of their own family; 1 if no page was marked. */
    precision: marked.length === 0 ? 1 : right / marked.length,
    marked: marked.length,
    recalls: LANGUAGES.flatMap((language) =>
      EDITS.map((edit) => {
        const { copies, found } = counts.get(`${language} ${edit}`) ?? { copies: 0, found: 0 };
        return { language, edit, copies, recall: found / copies };
      }),
    ),
  };
}
