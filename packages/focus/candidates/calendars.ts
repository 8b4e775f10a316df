import { hashOf } from '../../util/index.js';
import { rejectRule, type Candidate, type CreateFinder, type DomainFacts, type FinderRow } from './candidate.js';
import { rejectParameter } from './facets.js';
import { createKeptTraits } from './kept-traits.js';
import { createMostFrequent, mostRows } from './most-frequent.js';
import type { JudgeParameter } from './parameters.js';
import { createDistinct, type Distinct } from './sample.js';
import {
  MIN_REJECTED_ROWS,
  NEARLY_ALL_SHARE,
  MAX_CANDIDATES,
  MAX_TRACKED,
  addExample,
  isAsked,
  becauseOf,
  isWorthRejecting,
} from './thresholds.js';
import { ANY_ORIGIN, literal } from './url-parameters.js';

const MIN_DIFFERENT_NUMBERS = 30;
const MAX_SEGMENTS = 10;
const MAX_PATH_CHARACTERS = 200;
/** Maximum length of a run of digits that is read as a number. A longer run is the name of a thing. */
const DIGITS = /\d+/g;
const MAX_NUMBER_DIGITS = 10;
/** Placeholder for a number. No URL contains this character. */
const NUMBER = '#';

/** Recognises parameters whose values are an endless series of numbers or dates, such as `page`, `offset` or `month`. */
export const calendarParameter: JudgeParameter = (facts, domain, minRelevant) => {
  const { rows, numbers, values } = facts;
  if (
    numbers < NEARLY_ALL_SHARE * rows ||
    values < MIN_DIFFERENT_NUMBERS ||
    !isWorthRejecting(facts, domain, minRelevant)
  )
    return undefined;
  return rejectParameter(facts, 'calendar', {
    because: becauseOf('endless numbers or dates', domain),
    relevant: 0,
    domainRelevant: domain.relevant,
    domainRows: domain.rows,
  });
};

/** Rows whose paths have numbers at the same positions: `/events/#/#`. */
interface Section {
  readonly host: string;
  readonly template: string;
  /** true: the section has only the pages whose path ends with the last number. false: the section also has all pages below these pages. */
  readonly isPage: boolean;
  rows: number;
  fetched: number;
  readonly numbers: Distinct;
  readonly least: number[];
  readonly most: number[];
  /** For each position of a number, its value if all rows so far have the same value, as in `/v2/`; else undefined. */
  readonly same: (string | undefined)[];
  readonly examples: string[];
}

/**
 * Finds sections whose paths are numbered without end: calendars, pages of lists, archives by day. If nothing below a section is
 * relevant, the whole section becomes a candidate. But pages below may be relevant, such as articles below their day of publication. Then
 * only the pages whose path ends with a number become a candidate, and the link graph decides whether such pages are the only way to a
 * relevant page.
 */
export const calendars: CreateFinder = ({ propose: { minRelevant } }) => {
  const kept = createKeptTraits();
  let host: string | undefined;
  let sections = createMostFrequent<Section>(MAX_TRACKED);
  let found: Section[] = [];

  function endHost(): void {
    const isCandidate = ({ rows, numbers, ...section }: Section): boolean =>
      rows >= MIN_REJECTED_ROWS && numbers.count >= MIN_DIFFERENT_NUMBERS && !kept.has(keyOf(section));
    found.push(...mostRows([...sections.values()].filter(isCandidate), MAX_CANDIDATES));
    if (found.length > 2 * MAX_CANDIDATES) found = mostRows(found, MAX_CANDIDATES);
    sections = createMostFrequent<Section>(MAX_TRACKED);
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
      const isWorth = (section: Section): boolean => isWorthRejecting(section, domain, minRelevant);
      const worth = mostRows(found.filter(isWorth), MAX_CANDIDATES);
      // A whole section includes its own pages and all sections below it. So these are no candidates of their own.
      const rejected = new Set(worth.filter(({ isPage }) => !isPage).map(keyOf));
      return worth
        .filter((section) => !(section.isPage && rejected.has(keyOf({ ...section, isPage: false }))))
        .filter(
          ({ host, template }) =>
            !templatesAbove(template).some((above) => rejected.has(keyOf({ host, template: above, isPage: false }))),
        )
        .map((section) => toCandidate(section, domain));
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

/** Returns the sections of a page. Each segment with a number makes a section: the path up to this segment. */
function* sectionsOf({ path }: FinderRow): Generator<{ template: string; isPage: boolean; numbers: string[] }> {
  const mark = path.indexOf('?');
  const end = mark < 0 ? path.length : mark;
  const numbers: string[] = [];
  let template = '';
  let from = 1;
  for (let depth = 0; depth < MAX_SEGMENTS && from < end && from < MAX_PATH_CHARACTERS; depth++) {
    const slash = path.indexOf('/', from);
    const to = slash < 0 || slash > end ? end : slash;
    if (to > MAX_PATH_CHARACTERS) return;
    const before = numbers.length;
    const segment = path.slice(from, to);
    template += `/${segment.includes('%') ? segment : withoutNumbers(segment, numbers)}`;
    from = to + 1;
    if (numbers.length === before) continue;
    yield { template, isPage: false, numbers: [...numbers] };
    if (from >= end) yield { template, isPage: true, numbers: [...numbers] };
  }
}

/**
 * Replaces the numbers in a segment, and adds these numbers to `numbers`. The segment must have no escapes, because the digits of an
 * escape are not a number.
 */
function withoutNumbers(segment: string, numbers: string[]): string {
  return segment.replace(DIGITS, (digits) => {
    if (digits.length > MAX_NUMBER_DIGITS) return digits;
    numbers.push(digits);
    return NUMBER;
  });
}

function templatesAbove(template: string): string[] {
  const above: string[] = [];
  for (let slash = template.indexOf('/', 1); slash > 0; slash = template.indexOf('/', slash + 1)) {
    above.push(template.slice(0, slash));
  }
  return above;
}

function toCandidate(section: Section, domain: DomainFacts): Candidate {
  const { host, template, isPage, rows, fetched, numbers, least, most, same, examples } = section;
  const path = fill(literal(template), (i) => same[i] ?? `\\d{1,${MAX_NUMBER_DIGITS}}`);
  return {
    rule: rejectRule(host, { regex: `${ANY_ORIGIN}${path}${isPage ? '/?(?:\\?|$)' : '(?:[/?]|$)'}` }),
    reason: 'calendar',
    evidence: {
      because: becauseOf('endless numbers or dates', domain),
      section: fill(template, (i) => same[i] ?? '…'),
      only: isPage ? 'pages whose path ends with the number' : 'all below',
      rows,
      fetched,
      numbers: numbers.count,
      from: fill(template, (i) => same[i] ?? String(least[i])),
      to: fill(template, (i) => same[i] ?? String(most[i])),
      relevant: 0,
      domainRelevant: domain.relevant,
      domainRows: domain.rows,
      examples: [...examples],
    },
    rows,
  };
}

function fill(template: string, by: (i: number) => string): string {
  let i = 0;
  return template.replaceAll(NUMBER, () => by(i++));
}
