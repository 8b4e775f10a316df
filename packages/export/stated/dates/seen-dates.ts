import { attribute, isElement, statedTime, type HtmlDocument, type StatedTime } from '../../../core/index.js';
import { tokens, type Element } from '../head.js';
import { textWithin } from '../text-within.js';
import { writtenDates } from './written-dates.js';

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
  /** A date written in the text. */
  | 'text';

export interface SeenDate {
  readonly time: StatedTime;
  readonly sign: Sign;
  readonly region: Region;
  /** Whether a label says that this is the date of the last change. */
  readonly isModified: boolean;
  /** Whether a word before the date is about publishing. */
  readonly isLabelled: boolean;
  /** Number of characters of text before the date. */
  readonly at: number;
}

export interface Seen {
  readonly dates: readonly SeenDate[];
  /** Position in the text where the first `h1` ends. Undefined: there is no `h1`. */
  readonly heading: number | undefined;
}

const MAX_CHARACTERS_READ = 200_000;
const MOST_DATES = 500;
const MAX_SEARCHED_ELEMENTS = 2000;
/** Maximum length of the text in an element whose class is about dates. */
const LONGEST_LABEL = 150;
/** Maximum length of the text before a date that may be the label of the date. */
const BEFORE = 30;

const NOT_SHOWN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'option']);
const DATE_NAMES =
  /date(?!picker)|datum|fecha|publi[sc]h?|posted|created|byline|dateline|submitted|timestamp|(^|[-_\s])(time|meta|info|data|tarih|waktu|ngay|zeit|hora|when|day|entry-?meta|post-?(meta|info|details?))([-_\s]|$)/i;
const PUBLISHED_NAMES = /publi[sc]|posted|created|entry-?date|post-?date|date-?(posted|created)|article-?date|pubdate/i;
const MODIFIED_NAMES = /updat|modif|aktuali|edited|revis|actuali[zs]|lastmod/i;
const MODIFIED_WORDS =
  /(updated?|modified|edited|revised|aktualisiert|geändert|bearbeitet|stand|mis à jour|modifié|actualizad[oa]|modificad[oa]|aggiornat[oa]|atualizad[oa]|обновл\S*|измен[её]н\S*|редакт\S*|aktualiz\S*|bijgewerkt|gewijzigd|opdateret|uppdaterad\S*|oppdatert|更新|修改|수정|güncelle\S*|оновлено)\P{L}{0,12}$/iu;
const PUBLISHED_WORDS =
  /(published|posted|written|created|on|veröffentlicht|erstellt|vom|am|publié\S*|le|publicad[oa]|pubblicat[oa]|опубликован\S*|дата|data|datum|fecha|发布\S*|發布|日期|時間|时间|등록|입력|投稿日?|公開日?|yayın\S*|tarih\S*|opublikowan\S*|dodano)\P{L}{0,12}$/iu;
const PUBLISHED_PROPERTIES = ['datepublished', 'datecreated', 'uploaddate', 'dateposted', 'pubdate'];

/** Finds the dates in a page: in attributes, in elements for dates, and in its text. @param language lower case */
export function seenDates(document: HtmlDocument, language: string): Seen {
  return new DateReader(language).read(document);
}

/** A node to read, with its region. Without a node, the step is the end of a heading. */
interface Step {
  readonly node: HtmlDocument['childNodes'][number] | undefined;
  readonly region: Region;
}

/** A time, and the text before it that may be a label. */
interface LabelledTime {
  readonly time: StatedTime;
  readonly before: string;
}

class DateReader {
  readonly #language: string;
  readonly #dates: SeenDate[] = [];
  readonly #parts: string[] = [];
  /** The region of each part of the text, by its start. */
  readonly #regions: { readonly from: number; readonly region: Region }[] = [];
  #length = 0;
  #labels = 0;
  #heading: number | undefined;

  constructor(language: string) {
    this.#language = language;
  }

  read(document: HtmlDocument): Seen {
    this.#walk(document);
    this.#readText();
    return { dates: this.#dates, heading: this.#heading };
  }

  #walk(document: HtmlDocument): void {
    const stack: Step[] = document.childNodes.map((node) => ({ node, region: 'unknown' }));
    for (let step = stack.pop(); step && this.#length < MAX_CHARACTERS_READ; step = stack.pop()) {
      const { node, region } = step;
      if (!node) this.#heading ??= this.#length;
      else if (node.nodeName === '#text' && 'value' in node) this.#addText(node.value, region);
      else if (isElement(node) && !NOT_SHOWN.has(node.tagName)) {
        const inner = regionWithin(node, region);
        this.#readElement(node, inner);
        this.#addText(' ', inner);
        if (node.tagName === 'h1') stack.push({ node: undefined, region });
        for (let i = node.childNodes.length - 1; i >= 0; i--) stack.push({ node: node.childNodes[i]!, region: inner });
      }
    }
  }

  #addText(value: string, region: Region): void {
    const text = value.slice(0, MAX_CHARACTERS_READ).replace(/\s+/g, ' ');
    if (this.#regions.at(-1)?.region !== region) this.#regions.push({ from: this.#length, region });
    this.#parts.push(text);
    this.#length += text.length;
  }

  #readElement(element: Element, region: Region): void {
    if (this.#dates.length >= MOST_DATES) return;
    const { tagName } = element;
    const properties = tokens(attribute(element, 'itemprop'));
    const names = `${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''}`.slice(0, 300);
    const isPublished = PUBLISHED_PROPERTIES.some((name) => properties.includes(name));
    const isModified = properties.includes('datemodified') || MODIFIED_NAMES.test(names);
    const forMachines = machineDate(element);
    const add = (seen: LabelledTime | undefined, sign: Sign, isNamed = false): void => {
      if (!seen) return;
      const { time, before } = seen;
      const isLabelled = isNamed || PUBLISHED_WORDS.test(before);
      const isOfChange = isModified || MODIFIED_WORDS.test(before);
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

  #dateIn(element: Element): LabelledTime | undefined {
    // The text of nested elements is read again for each of these elements. So the number of elements is limited.
    if (++this.#labels > MAX_SEARCHED_ELEMENTS) return undefined;
    const text = textWithin(element, LONGEST_LABEL);
    if (text.length >= LONGEST_LABEL) return undefined;
    const [written] = writtenDates(text, this.#language);
    if (written) return { time: written.time, before: text.slice(Math.max(0, written.start - BEFORE), written.start) };
    const time = statedTime(text);
    return time && { time, before: '' };
  }

  #readText(): void {
    const text = this.#parts.join('').slice(0, MAX_CHARACTERS_READ);
    let at = 0;
    for (const { time, start } of writtenDates(text, this.#language).slice(0, MOST_DATES)) {
      while ((this.#regions[at + 1]?.from ?? Infinity) <= start) at++;
      const before = text.slice(Math.max(0, start - BEFORE), start);
      this.#dates.push({
        time,
        sign: 'text',
        region: this.#regions[at]?.region ?? 'unknown',
        isModified: MODIFIED_WORDS.test(before),
        isLabelled: PUBLISHED_WORDS.test(before),
        at: start,
      });
    }
  }
}

/** The date in an attribute of an element for machines. */
function machineDate(element: Element): StatedTime | undefined {
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

/** The region of a page: its main part, a part beside it, or unknown. */
type Region = 'main' | 'beside' | 'unknown';

const MAIN_TAGS: ReadonlySet<string> = new Set(['main', 'article']);
const BESIDE_TAGS: ReadonlySet<string> = new Set(['aside', 'nav', 'footer', 'form', 'select', 'button']);
const BESIDE_NAMES =
  /(^|[-_\s])(comments?(?!-?(count|link|off))|comment-?list|respond|replies|related|side-?bar|secondary|widgets?|recommend\w*|popular|trending|teasers?|promo|latest|recent|footer|menu|nav|navigation|calendar|archives?|copyright|ticker|carousel|slider|most-?read|more-?(news|stories|from)|read-?more|similar|suggest\w*|banner|advert\w*|share|social|disqus\w*|weather|clock|currentdate|today)([-_\s]|$)/i;
const MAIN_NAMES =
  /(^|[-_\s])(article|post|entry|story|hentry|content|single|main)([-_\s]|$|-?(body|content|detail|header|title))/i;

/** Returns the region of the content of an element. @param around the region of the element */
function regionWithin(element: Element, around: Region): Region {
  if (around === 'beside') return around;
  const { tagName } = element;
  if (BESIDE_TAGS.has(tagName)) return 'beside';
  const names = `${attribute(element, 'class') ?? ''} ${attribute(element, 'id') ?? ''}`;
  const isPage = tagName === 'body' || tagName === 'html';
  if (!isPage && names.length < 500 && BESIDE_NAMES.test(names)) return 'beside';
  const role = attribute(element, 'role');
  if (role === 'complementary' || role === 'navigation' || role === 'contentinfo') return 'beside';
  if (MAIN_TAGS.has(tagName) || role === 'main') return 'main';
  if (isPage || around === 'main') return around;
  if (tokens(attribute(element, 'itemprop')).includes('articlebody')) return 'main';
  return MAIN_NAMES.test(names) ? 'main' : around;
}
