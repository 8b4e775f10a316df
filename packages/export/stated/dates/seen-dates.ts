import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import {
  attribute,
  ClassWords,
  FAMILY,
  isInlineTag,
  statedTime,
  textWithin,
  tokens,
  walkTree,
  type HtmlDocument,
  type StatedTime,
} from '../../../core/index.js';
import { BEGINS_WITH_AUTHOR, ENDS_WITH_LABEL, ENDS_WITH_MODIFIED, ENDS_WITH_PUBLISHED } from '../words.js';
import { writtenDates, type WrittenDate } from './written-dates.js';

/** The kind of evidence for a date, the strongest first. */
export type Sign =
  /** `itemprop` with a property of schema.org. */
  | 'itemprop'
  /** A `time` element, or an attribute for machines, whose class is about publishing. */
  | 'published'
  /** A `time` element, or an attribute for machines. */
  | 'time'
  /** An element whose class or id is about dates. */
  | 'class'
  /** A date written in the text, beside the title or an author, or with a word for publishing or changing. */
  | 'text';

export interface SeenDate {
  readonly time: StatedTime;
  readonly sign: Sign;
  readonly region: Region;
  /** Whether a label says that this is the date of the last change. */
  readonly isModified: boolean;
  /** Whether a word or an author beside the date marks it as the date of publishing. */
  readonly isLabelled: boolean;
  readonly isNearTitle: boolean;
}

const MAX_CHARACTERS_READ = 200_000;
const MAX_DATES = 500;
const MAX_SEARCHED_ELEMENTS = 2000;
/** Of the text in an element whose class is about dates. */
const MAX_MARKED_CHARACTERS = 150;
const MAX_LABEL_CHARACTERS = 30;
/** Maximum length of a line that states a date. Longer lines are running text. */
const MAX_LINE_CHARACTERS = 120;
const MAX_TITLE_CHARACTERS = 300;
/** A date that is at most this number of characters from the heading belongs to it. */
const MAX_CHARACTERS_AFTER_HEADING = 600;
const MAX_CHARACTERS_BEFORE_HEADING = 300;

const NOT_SHOWN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'option']);
const DATE_NAMES =
  /date(?!picker)|datum|fecha|publi[sc]h?|posted|created|byline|dateline|submitted|timestamp|(^|[-_\s])(time|meta|info|data|tarih|waktu|ngay|zeit|hora|when|day|entry-?meta|post-?(meta|info|details?))([-_\s]|$)/i;
const PUBLISHED_NAMES = /publi[sc]|posted|created|entry-?date|post-?date|date-?(posted|created)|article-?date|pubdate/i;
const MODIFIED_NAMES = /updat|modif|aktuali|edited|revis|actuali[zs]|lastmod/i;
const AUTHOR_NAMES = /author|byline/i;
const HEADING = /^h[1-6]$/;
/** Elements of lists, tables and outlines. If several of them have dates, these are not dates of the page. */
const LIST_TAGS: ReadonlySet<string> = new Set('td th li dt dd h2 h3 h4 h5 h6 caption'.split(' '));
const SENTENCE_END = /[.!?:;。]$/;
const PUBLISHED_PROPERTIES = ['datepublished', 'datecreated', 'uploaddate', 'dateposted', 'pubdate'];

/**
 * Finds the dates in a page: in attributes, in elements for dates, and in the text where the text states them as dates of the page.
 * @param language lower case
 */
export function seenDates(document: HtmlDocument, language: string): SeenDate[] {
  return new DateReader(language).read(document);
}

/** An element that starts and ends a line, and its region. */
interface Block {
  readonly tagName: string;
  readonly region: Region;
}

/** A line of the text: it ends where a block starts or ends. */
interface Line extends Block {
  readonly from: number;
  /** Whether the markup says that the line names an author. */
  hasAuthor: boolean;
}

interface PlacedDate extends WrittenDate {
  readonly line: Line;
  readonly to: number;
}

interface LabelledTime {
  readonly time: StatedTime;
  readonly before: string;
}

class DateReader {
  readonly #language: string;
  readonly #classWords = new ClassWords();
  readonly #dates: (Omit<SeenDate, 'isNearTitle'> & { /** Position in the text. */ readonly at: number })[] = [];
  readonly #parts: string[] = [];
  readonly #lines: Line[] = [];
  #length = 0;
  #labels = 0;
  #title: string | undefined;
  /** Position in the text where the heading ends: the one that repeats most of the title, else the first `h1`. */
  #heading: number | undefined;
  /** Length of the heading, if it repeats the title. */
  #repeated = 0;

  constructor(language: string) {
    this.#language = language;
  }

  read(document: HtmlDocument): SeenDate[] {
    this.#walk(document);
    this.#readText();
    return this.#dates.map(({ at, ...date }) => ({ ...date, isNearTitle: this.#isNearTitle(at) }));
  }

  #walk(document: HtmlDocument): void {
    /** The block that contains the content of each open element. */
    const blocks: Block[] = [{ tagName: '', region: 'unknown' }];
    walkTree(document, {
      enter: (element) => {
        const { tagName } = element;
        if (NOT_SHOWN.has(tagName)) return false;
        const block = blocks.at(-1)!;
        const region = regionWithin(element, block.region, this.#classWords);
        const isBlock = !isInlineTag(tagName) || region !== block.region;
        const inner = isBlock ? { tagName, region } : block;
        if (isBlock) this.#startLine(inner);
        this.#readElement(element, region);
        this.#addText(' ');
        blocks.push(inner);
        return this.#length < MAX_CHARACTERS_READ || 'end';
      },
      leave: (element) => {
        const inner = blocks.pop();
        const block = blocks.at(-1)!;
        if (inner === block) return;
        this.#startLine(block);
        this.#readHeading(element);
      },
      text: (value) => {
        this.#addText(value);
        return this.#length < MAX_CHARACTERS_READ ? undefined : 'end';
      },
    });
  }

  #startLine(block: Block): void {
    if (this.#lines.at(-1)?.from === this.#length) this.#lines.pop();
    this.#lines.push({ ...block, from: this.#length, hasAuthor: false });
  }

  #readHeading(element: Tree.Element): void {
    const { tagName } = element;
    if (tagName === 'title') this.#title ??= lettersOf(element);
    if (!HEADING.test(tagName) || ++this.#labels > MAX_SEARCHED_ELEMENTS) return;
    const text = lettersOf(element);
    const title = this.#title ?? '';
    if (text.length > this.#repeated && text.length * 3 > title.length && title.includes(text)) {
      this.#repeated = text.length;
      this.#heading = this.#length;
    } else if (tagName === 'h1') this.#heading ??= this.#length;
  }

  #isNearTitle(at: number): boolean {
    return (
      this.#heading !== undefined &&
      at - this.#heading >= -MAX_CHARACTERS_BEFORE_HEADING &&
      at - this.#heading <= MAX_CHARACTERS_AFTER_HEADING
    );
  }

  #addText(value: string): void {
    const text = value.slice(0, MAX_CHARACTERS_READ).replace(/\s+/g, ' ');
    this.#parts.push(text);
    this.#length += text.length;
  }

  #readElement(element: Tree.Element, region: Region): void {
    const { tagName } = element;
    const properties = tokens(attribute(element, 'itemprop'));
    // The id of a heading is often built from its text.
    const id = HEADING.test(tagName) ? '' : (attribute(element, 'id') ?? '');
    const names = `${attribute(element, 'class') ?? ''} ${id}`.slice(0, 300);
    if (AUTHOR_NAMES.test(names) || [...properties, ...tokens(attribute(element, 'rel'))].includes('author')) {
      this.#lines.at(-1)!.hasAuthor = true;
    }
    if (this.#dates.length >= MAX_DATES) return;
    const isPublished = PUBLISHED_PROPERTIES.some((name) => properties.includes(name));
    const isModified =
      properties.includes('datemodified') || (MODIFIED_NAMES.test(names) && !PUBLISHED_NAMES.test(names));
    const forMachines = machineDate(element);
    const add = (seen: LabelledTime | undefined, sign: Sign, isNamed = false): void => {
      if (!seen) return;
      const { time, before } = seen;
      const isLabelled = isNamed || ENDS_WITH_LABEL.test(before);
      const isOfChange = isModified || ENDS_WITH_MODIFIED.test(before);
      this.#dates.push({ time, sign, region, isModified: isOfChange, isLabelled, at: this.#length });
    };
    if (isPublished || properties.includes('datemodified')) {
      add(forMachines ? { time: forMachines, before: '' } : this.#dateIn(element), 'itemprop');
    } else if (forMachines) {
      const isPubdate = attribute(element, 'pubdate') !== undefined || PUBLISHED_NAMES.test(names);
      add({ time: forMachines, before: '' }, isPubdate ? 'published' : 'time');
    } else if (tagName === 'time') {
      add(this.#dateIn(element), PUBLISHED_NAMES.test(names) ? 'published' : 'time');
    } else if (DATE_NAMES.test(names) && tagName !== 'body' && tagName !== 'html') {
      add(this.#dateIn(element), 'class', PUBLISHED_NAMES.test(names));
    }
  }

  #dateIn(element: Tree.Element): LabelledTime | undefined {
    // The text of nested elements is read again for each of these elements. So the number of elements is limited.
    if (++this.#labels > MAX_SEARCHED_ELEMENTS) return undefined;
    const text = textWithin(element, MAX_MARKED_CHARACTERS);
    if (text.length >= MAX_MARKED_CHARACTERS) return undefined;
    const [written] = writtenDates(text, this.#language);
    if (written)
      return {
        time: written.time,
        before: text.slice(Math.max(0, written.start - MAX_LABEL_CHARACTERS), written.start),
      };
    const time = statedTime(text);
    return time && { time, before: '' };
  }

  #readText(): void {
    const text = this.#parts.join('').slice(0, MAX_CHARACTERS_READ);
    const written = writtenDates(text, this.#language).slice(0, MAX_DATES);
    const datedLines = new Map<string, Set<string>>();
    let at = 0;
    const placed = written.map((date): PlacedDate => {
      while ((this.#lines[at + 1]?.from ?? Infinity) <= date.start) at++;
      const line = this.#lines[at]!;
      const to = Math.max(date.end, this.#lines[at + 1]?.from ?? text.length);
      const lines = datedLines.get(line.tagName) ?? new Set();
      datedLines.set(line.tagName, lines.add(text.slice(line.from, to).trim()));
      return { ...date, line, to };
    });
    for (const date of placed) {
      const { tagName, region } = date.line;
      const isOneOfMany = LIST_TAGS.has(tagName) && datedLines.get(tagName)!.size > 1;
      const statement = this.#statementIn(text, date, isOneOfMany);
      if (statement) this.#dates.push({ time: date.time, sign: 'text', region, at: date.start, ...statement });
    }
  }

  /** What the text says about a date. Undefined: it does not say that this is a date of the page. */
  #statementIn(
    text: string,
    { start, end, line: { from, tagName, region, hasAuthor }, to }: PlacedDate,
    isOneOfMany: boolean,
  ): Pick<SeenDate, 'isModified' | 'isLabelled'> | undefined {
    if (tagName === 'pre') return undefined;
    const line = text.slice(from, to);
    const before = text.slice(Math.max(0, start - MAX_LABEL_CHARACTERS), start);
    const isShort = line.trim().length <= MAX_LINE_CHARACTERS;
    const isFirst = text.slice(from, start).trim() === '';
    const isRunning = !isFirst && (!isShort || SENTENCE_END.test(text.slice(end, to).trim()));
    if (isShort && (!isRunning || region === 'footer') && ENDS_WITH_MODIFIED.test(before)) {
      return { isModified: true, isLabelled: false };
    }
    if (isRunning) return undefined;
    if (isShort && ENDS_WITH_PUBLISHED.test(before)) return { isModified: false, isLabelled: true };
    if (isOneOfMany) return undefined;
    const isOfAuthor = isShort && region !== 'beside' && (hasAuthor || BEGINS_WITH_AUTHOR.test(line));
    const isOfPage = isOfAuthor || tagName === 'title' || this.#isNearTitle(start);
    return isOfPage ? { isModified: false, isLabelled: isOfAuthor } : undefined;
  }
}

/** The beginning of the text of an element, without punctuation. */
function lettersOf(element: Tree.Element): string {
  return textWithin(element, MAX_TITLE_CHARACTERS)
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

function machineDate(element: Tree.Element): StatedTime | undefined {
  for (const { name, value } of element.attrs) {
    const isOfDates =
      name === 'datetime' ||
      (name === 'content' && attribute(element, 'itemprop') !== undefined) ||
      (name === 'title' && (element.tagName === 'abbr' || element.tagName === 'time' || element.tagName === 'span')) ||
      (name.startsWith('data-') && /date|time|publi/.test(name));
    const time = isOfDates ? statedTime(value) : undefined;
    if (time) return time;
  }
  return undefined;
}

type Region = 'main' | 'beside' | 'footer' | 'unknown';

const MAIN_TAGS: ReadonlySet<string> = new Set(['main', 'article']);
const BESIDE_TAGS: ReadonlySet<string> = new Set(['aside', 'nav', 'form', 'select', 'button']);
/** Families of class words of elements beside the content, and of the main content. */
const BESIDE = FAMILY.comment | FAMILY.related | FAMILY.sidebar | FAMILY.navigation | FAMILY.advert;
const MAIN = FAMILY.article | FAMILY.body;
/** Classes and ids of elements with dates that are not of the page. */
const CALENDAR_NAMES = /(^|[-_\s])(calendar|archives?|ticker|weather|clock|currentdate|today)([-_\s]|$)/i;
const FOOTER_NAMES = /(^|[-_\s])footer([-_\s]|$)/i;

function regionWithin(element: Tree.Element, around: Region, classWords: ClassWords): Region {
  if (around === 'beside') return around;
  const { tagName } = element;
  if (BESIDE_TAGS.has(tagName)) return 'beside';
  const names = `${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''}`;
  const isPage = tagName === 'body' || tagName === 'html';
  const words = isPage ? 0 : classWords.ofName(names);
  if ((words & BESIDE) !== 0 || (!isPage && CALENDAR_NAMES.test(names.slice(0, 500)))) return 'beside';
  const role = attribute(element, 'role');
  if (role === 'complementary' || role === 'navigation') return 'beside';
  if (around === 'footer' || tagName === 'footer' || role === 'contentinfo') return 'footer';
  if (!isPage && names.length < 500 && FOOTER_NAMES.test(names)) return 'footer';
  if (MAIN_TAGS.has(tagName) || role === 'main') return 'main';
  if (isPage || around === 'main') return around;
  if (tokens(attribute(element, 'itemprop')).includes('articlebody')) return 'main';
  return (words & MAIN) !== 0 ? 'main' : around;
}
