import { hashOf } from '../../util/index.js';
import type { Candidate, CreateFinder, FinderRow } from './candidate.js';
import { cutParameter } from './facets.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent, mostRows } from './most-frequent.js';
import type { JudgeParameter } from './parameters.js';
import { createDistinct, type Distinct } from './sample.js';
import { LEAST_ROWS, MOST, MOST_FOUND, TRACKED, addExample, isAsked, isEnoughFetched } from './thresholds.js';
import { ANY_ORIGIN, literal } from './url-parameters.js';

/** Different numbers or dates that there are at least. */
const LEAST_NUMBERS = 30;
/** Segments from the first on that are looked at. */
const DEPTH = 10;
/** Characters of a path that are looked at. */
const LONGEST = 200;
/** A run of digits that is a number; longer ones are names of things. */
const DIGITS = /\d+/g;
const LONGEST_NUMBER = 10;
/** In the place of a number. No URL has this sign. */
const NUMBER = '#';

/** Knows parameters whose values are numbers or dates that go on and on, as `page`, `offset` or `month` do. */
export const calendarParameter: JudgeParameter = (facts, domain, minUseful) => {
  const { rows, numbers, values, fetched } = facts;
  if (numbers < MOST * rows || values < LEAST_NUMBERS || !isEnoughFetched(fetched, domain, minUseful)) return undefined;
  return cutParameter(facts, 'calendar', {
    because: 'numbers or dates that go on, none of the pages useful',
    useful: 0,
    domainUseful: domain.fit,
    domainRows: domain.rows,
  });
};

/** Rows whose path has numbers in the same places: `/events/#/#`. */
interface Section {
  readonly host: string;
  readonly template: string;
  /** Only pages whose path ends with the last number; else all that is below it too. */
  readonly isPage: boolean;
  rows: number;
  fetched: number;
  readonly numbers: Distinct;
  readonly least: number[];
  readonly most: number[];
  /** Of each place of a number what is there as long as it is the same everywhere, as in `/v2/`. */
  readonly same: (string | undefined)[];
  readonly examples: string[];
}

/**
 * Finds sections whose paths go on by numbers: calendars, pages of lists, archives by day. Where nothing useful is below, all of the
 * section is offered to be cut; where there is, as with articles below the day on which they came out, only the pages that end
 * with the number. Whether such pages are the only way to a useful one is for the link graph to say.
 */
export const calendars: CreateFinder = ({ propose: { minUseful } }) => {
  const kept = createKeptTraits();
  let host: string | undefined;
  let sections = createMostFrequent<Section>(TRACKED);
  let found: Section[] = [];

  function endHost(): void {
    const isCandidate = ({ rows, numbers, ...section }: Section): boolean =>
      rows >= LEAST_ROWS && numbers.count >= LEAST_NUMBERS && !kept.has(keyOf(section));
    found.push(...mostRows([...sections.values()].filter(isCandidate), MOST_FOUND));
    if (found.length > 2 * MOST_FOUND) found = mostRows(found, MOST_FOUND);
    sections = createMostFrequent<Section>(TRACKED);
  }

  return {
    add(row) {
      if (row.host !== host) endHost();
      host = row.host;
      for (const { template, isPage, numbers } of sectionsOf(row)) {
        const name = { host: row.host, template, isPage };
        const key = keyOf(name);
        if (row.isKept) kept.add(key);
        else
          addTo(
            sections.get(key, () => createSection(name, numbers)),
            row,
            numbers,
          );
      }
    },
    find(domain) {
      endHost();
      const isWorth = ({ fetched }: Section): boolean => isEnoughFetched(fetched, domain, minUseful);
      const worth = mostRows(found.filter(isWorth), MOST_FOUND);
      // It stands for all below it, and for its own pages.
      const cut = new Set(worth.filter(({ isPage }) => !isPage).map(keyOf));
      return worth
        .filter((section) => !(section.isPage && cut.has(keyOf({ ...section, isPage: false }))))
        .filter(
          ({ host, template }) =>
            !templatesAbove(template).some((above) => cut.has(keyOf({ host, template: above, isPage: false }))),
        )
        .map((section) => toCandidate(section, domain.fit, domain.rows));
    },
  };
};

type SectionName = Pick<Section, 'host' | 'template' | 'isPage'>;

const keyOf = ({ host, template, isPage }: SectionName): string => `${host} ${template}${isPage ? ' ' : ''}`;

function createSection(name: SectionName, numbers: readonly string[]): Section {
  const values = numbers.map(Number);
  return {
    ...name,
    rows: 0,
    fetched: 0,
    numbers: createDistinct(),
    least: values,
    most: [...values],
    same: [...numbers],
    examples: [],
  };
}

function addTo(section: Section, row: FinderRow, numbers: readonly string[]): void {
  section.rows += 1;
  if (isAsked(row)) section.fetched += 1;
  section.numbers.add(hashOf(numbers.join('/')));
  for (const [i, digits] of numbers.entries()) {
    if (section.same[i] === digits) continue;
    section.same[i] = undefined;
    section.least[i] = Math.min(section.least[i]!, Number(digits));
    section.most[i] = Math.max(section.most[i]!, Number(digits));
  }
  addExample(section.examples, row.url);
}

/** The sections that a page is in: for each segment with a number the path up to it. */
function* sectionsOf({ path }: FinderRow): Generator<{ template: string; isPage: boolean; numbers: string[] }> {
  const mark = path.indexOf('?');
  const end = mark < 0 ? path.length : mark;
  const numbers: string[] = [];
  let template = '';
  let from = 1;
  for (let depth = 0; depth < DEPTH && from < end && from < LONGEST; depth++) {
    const slash = path.indexOf('/', from);
    const to = slash < 0 || slash > end ? end : slash;
    if (to > LONGEST) return;
    const before = numbers.length;
    const segment = path.slice(from, to);
    template += `/${segment.includes('%') ? segment : withoutNumbers(segment, numbers)}`;
    from = to + 1;
    if (numbers.length === before) continue;
    yield { template, isPage: false, numbers: [...numbers] };
    if (from >= end) yield { template, isPage: true, numbers: [...numbers] };
  }
}

/** Escapes have digits that are no numbers, so segments with them are not shown here. */
function withoutNumbers(segment: string, numbers: string[]): string {
  return segment.replace(DIGITS, (digits) => {
    if (digits.length > LONGEST_NUMBER) return digits;
    numbers.push(digits);
    return NUMBER;
  });
}

/** The templates of the sections that one is within. */
function templatesAbove(template: string): string[] {
  const above: string[] = [];
  for (let slash = template.indexOf('/', 1); slash > 0; slash = template.indexOf('/', slash + 1)) {
    above.push(template.slice(0, slash));
  }
  return above;
}

function toCandidate(section: Section, domainUseful: number, domainRows: number): Candidate {
  const { host, template, isPage, rows, fetched, numbers, least, most, same, examples } = section;
  const path = fill(literal(template), (i) => same[i] ?? `\\d{1,${LONGEST_NUMBER}}`);
  return {
    rule: {
      kind: 'reject',
      origin: 'generated',
      scope: `host:${host}`,
      pattern: { regex: `${ANY_ORIGIN}${path}${isPage ? '/?(?:\\?|$)' : '(?:[/?]|$)'}` },
    },
    reason: 'calendar',
    evidence: {
      because: 'numbers or dates that go on, none of the pages useful',
      section: fill(template, (i) => same[i] ?? '…'),
      only: isPage ? 'pages that end with the number' : 'all below',
      rows,
      fetched,
      numbers: numbers.count,
      from: fill(template, (i) => same[i] ?? String(least[i])),
      to: fill(template, (i) => same[i] ?? String(most[i])),
      useful: 0,
      domainUseful,
      domainRows,
      examples: [...examples],
    },
    rows,
  };
}

function fill(template: string, by: (i: number) => string): string {
  let i = 0;
  return template.replaceAll(NUMBER, () => by(i++));
}
