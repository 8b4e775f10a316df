import { createHash } from 'node:crypto';
import { isRedirect } from '../../../webtable/index.js';
import { domainOf } from '../../url/index.js';
import { hashOf } from '../../util/index.js';
import type { Candidate, CreateFinder, FinderRow, PageTexts, ReadTexts } from './candidate.js';
import { createSample } from './sample.js';
import { ALIKE, addExample, shareOf } from './thresholds.js';

const WWW = 'www.';
/** Pairs of pages that are the same at least: of a domain where one in four differs, ten in a row are the same in 6 cases of 100. */
const LEAST_TWINS = 10;
/** Pairs that are read together with their texts. */
const TEXTS = 20;
/** Pages of the two hosts that are compared; of more, half go. */
const COMPARED = 65_536;
/** Documents that the pages have at least, as a share: a host that answers all with one page is alike anything. */
const DIFFERENT = 0.25;

type Form = 'with' | 'without';
type Pages = Partial<Record<Form, Twin>>;

/** What is known of a page in one of the two forms. */
interface Twin {
  readonly key: string;
  readonly url: string;
  readonly isKept: boolean;
  readonly state: 'unfetched' | 'fetched' | 'leads' | 'failed';
  /** Its document, where it was fetched. */
  readonly document: string | undefined;
  /** It redirects to the same page in the other form, names it as canonical, or was found to be a copy of it. */
  readonly namesOther: boolean;
}

/** Of one scheme and port what is known of the pages in the form that would go. */
interface Site {
  /** Pages that are there, or are to be kept. */
  pages: number;
  compared: number;
  /** Pages that are not to be cut. */
  kept: number;
  /** Of these, those that are there in the other form too. */
  safe: number;
}

/** What speaks for and against writing all URLs in one form. */
interface Verdict {
  readonly to: Form;
  readonly sites: Map<string, Site>;
  alike: number;
  different: number;
  /** Pages that would be lost, though they are not to be cut. */
  lost: number;
  /** Pages of the other form that name this one. */
  named: number;
  readonly documents: Set<string>;
  documentPages: number;
  readonly examples: string[];
}

/**
 * Finds out whether a domain answers alike with and without `www.`, and which form its pages prefer. URLs are compared with scheme
 * and port: http and https are another question.
 *
 * A rule that writes all URLs in one form is offered where at least 10 pages of the other are known to be there too, and nearly all of those that can
 * be compared are: the same document, byte by byte or in title and text, or one redirects to the other or names it as canonical. It speaks against a form where the page fails in it,
 * is another document, or leads back: then the rule would lose what the other form has. Where that is a page which is not to be cut,
 * the form is not offered. What is known in one form only counts too: under each scheme and port at least 10 pages must have been compared,
 * and 10 of those that are not to be cut must be there in both forms, or all where there are fewer. If both forms do, it is the one that
 * redirects and canonicals name; else the one with more pages.
 */
export const wwwTwins: CreateFinder = () => {
  const sample = createSample();
  const pages = new Map<number, Pages>();
  const rows = { with: 0, without: 0 };
  let domain: string | undefined;
  let host: string | undefined;
  let form: Form | undefined;

  return {
    add(row) {
      if (row.host !== host) {
        host = row.host;
        const bare = withoutWww(domainOf(host));
        form = host === bare ? 'without' : host === `${WWW}${bare}` ? 'with' : undefined;
        if (form && (domain ??= bare) !== bare) form = undefined;
      }
      if (!form) return;
      rows[form] += 1;
      const hash = hashOf(inOneForm(row.url));
      if (!sample.has(hash)) return;
      pages.set(hash, { ...pages.get(hash), [form]: twinOf(row) });
      while (pages.size > COMPARED) {
        sample.halve();
        for (const each of pages.keys()) if (!sample.has(each)) pages.delete(each);
      }
    },
    async look(read) {
      if (rows.with > 0 && rows.without > 0) await compareTexts(pages, read);
    },
    find({ rows: domainRows }) {
      if (domain === undefined || rows.with === 0 || rows.without === 0) return [];
      const verdicts = [judge('with', pages.values()), judge('without', pages.values())].filter(isGood);
      const [best] = verdicts.sort(
        (a, b) => b.named - a.named || rows[b.to] - rows[a.to] || (a.to === 'without' ? -1 : 1),
      );
      return best ? [toCandidate(best, domain, rows, domainRows)] : [];
    },
  };
};

/**
 * Reads what pages say that were fetched in both forms and are not the same byte by byte, such as those that spell links out in one of them. Where
 * both say the same, that is the document of both. It ends where so many say something else that no rule will be offered.
 */
async function compareTexts(pages: Map<number, Pages>, read: ReadTexts): Promise<void> {
  const fetched = [...pages].filter(
    ([, twins]) => twins.with?.state === 'fetched' && twins.without?.state === 'fetched',
  );
  const unlike = fetched.filter(([, twins]) => !compare(twins.with!, twins.without));
  let different = 0;
  if (fetched.length < LEAST_TWINS) return;
  for (let i = 0; i < unlike.length && different <= (1 - ALIKE) * fetched.length; i += TEXTS) {
    const some = unlike.slice(i, i + TEXTS);
    const texts = await read(some.flatMap(([, twins]) => [twins.with!.key, twins.without!.key]));
    for (const [at, [hash, twins]] of some.entries()) {
      const [one, other] = [saidBy(texts[2 * at]), saidBy(texts[2 * at + 1])];
      if (one === undefined || one !== other) different += 1;
      else pages.set(hash, { with: { ...twins.with!, document: one }, without: { ...twins.without!, document: one } });
    }
  }
}

/** A digest of what a page says; undefined of one that says nothing. */
function saidBy({ title = '', text = '' }: PageTexts = {}): string | undefined {
  const said = `${title}\n${text}`.replace(/\s+/g, ' ').trim();
  return text.trim() === '' ? undefined : createHash('md5').update(said).digest('hex');
}

/** The domain itself; `www.com` is one. */
const withoutWww = (domain: string): string => domain.replace(/^www\.(?=.*\.)/, '');

const inOneForm = (url: string): string => url.replace('://www.', '://');

/** A page in whatever form and scheme: many sites lead from one form to the other and to https at once. */
const pageOf = (url: string): string => inOneForm(url).replace(/^https?:/, '');

const isWww = (url: string): boolean => url.includes('://www.');

function twinOf({ key, url, status, signature, redirectTarget, parseStatus, duplicateOf, isKept }: FinderRow): Twin {
  const isOther = (named: string | undefined): boolean =>
    named !== undefined && isWww(named) !== isWww(url) && pageOf(named) === pageOf(url);
  const isFetched = (status === 'fetched' || status === 'notmodified') && signature !== undefined;
  const leads = isRedirect(status);
  return {
    key,
    url,
    isKept,
    state: isFetched ? 'fetched' : leads ? 'leads' : status === 'gone' ? 'failed' : 'unfetched',
    document: isFetched ? signature : undefined,
    namesOther: leads
      ? isOther(redirectTarget)
      : isFetched && (isOther(parseStatus?.canonical) || isOther(duplicateOf)),
  };
}

function judge(to: Form, pages: Iterable<Pages>): Verdict {
  const verdict: Verdict = {
    to,
    sites: new Map(),
    alike: 0,
    different: 0,
    lost: 0,
    named: 0,
    documents: new Set(),
    documentPages: 0,
    examples: [],
  };
  const from = to === 'with' ? 'without' : 'with';
  for (const { [to]: target, [from]: source } of pages) {
    if (!source) continue;
    const isAlike = compare(source, target);
    noteSite(verdict.sites, source, target, isAlike);
    if (isAlike === undefined) continue;
    if (!isAlike) {
      verdict.different += 1;
      if (source.isKept) verdict.lost += 1;
      continue;
    }
    verdict.alike += 1;
    if (source.namesOther) verdict.named += 1;
    const document = target?.document ?? source.document;
    if (document !== undefined) {
      verdict.documents.add(document);
      verdict.documentPages += 1;
    }
    addExample(verdict.examples, source.url);
  }
  return verdict;
}

/** Whether the target has what the source has; undefined where that is not known, or the source has nothing. */
function compare(source: Twin, target: Twin | undefined): boolean | undefined {
  // What leads back would be written as itself again, and never be fetched.
  if (target?.state === 'leads' && target.namesOther) return false;
  if (source.state === 'leads' && source.namesOther) return target?.state !== 'failed';
  if (source.state !== 'fetched' || !target || target.state === 'unfetched') return undefined;
  if (target.state !== 'fetched') return false;
  return source.document === target.document || source.namesOther || target.namesOther;
}

function noteSite(
  sites: Map<string, Site>,
  source: Twin,
  target: Twin | undefined,
  isAlike: boolean | undefined,
): void {
  const { url, isKept, state, namesOther } = source;
  const isThere = state === 'fetched' || (state === 'leads' && namesOther);
  if (!isThere && !(isKept && state === 'unfetched')) return;
  const name = siteOf(url);
  let site = sites.get(name);
  if (!site) sites.set(name, (site = { pages: 0, compared: 0, kept: 0, safe: 0 }));
  site.pages += 1;
  if (isAlike !== undefined) site.compared += 1;
  if (!isKept) return;
  site.kept += 1;
  if (isAlike ?? target?.state === 'fetched') site.safe += 1;
}

/** Scheme and port. */
const siteOf = (url: string): string => url.replace(/^([^:]*:)\/\/[^/]*?(:\d+)?\/.*$/s, '$1$2');

/** Whether enough is known to say of what was not compared that it is in the other form, too. */
function isKnown({ pages, compared, kept, safe }: Site): boolean {
  return compared >= Math.min(pages, LEAST_TWINS) && safe >= Math.min(kept, LEAST_TWINS);
}

function isGood({ sites, alike, different, lost, documents, documentPages }: Verdict): boolean {
  return (
    [...sites.values()].every(isKnown) &&
    alike >= LEAST_TWINS &&
    alike >= ALIKE * (alike + different) &&
    lost === 0 &&
    documents.size >= DIFFERENT * documentPages
  );
}

function toCandidate(
  { to, alike, different, named, documents, examples }: Verdict,
  domain: string,
  rows: Readonly<Record<Form, number>>,
  domainRows: number,
): Candidate {
  return {
    rule: { kind: 'www', origin: 'generated', scope: `domain:${domain}`, to },
    reason: 'www',
    evidence: {
      because: `the pages are the same ${to === 'with' ? 'with' : 'without'} www.`,
      compared: alike + different,
      alike,
      alikeShare: shareOf(alike, alike + different)!,
      redirectsAndCanonicals: named,
      documents: documents.size,
      rowsWith: rows.with,
      rowsWithout: rows.without,
      domainRows,
      examples: [...examples],
    },
    rows: rows[to === 'with' ? 'without' : 'with'],
    isOfCopies: true,
  };
}
