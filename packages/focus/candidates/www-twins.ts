import { createHash } from 'node:crypto';
import { isRedirect, domainOf } from '../../core/index.js';
import { hashOf } from '../../util/index.js';
import type { Candidate, CreateFinder, FinderRow, PageTexts, ReadTexts } from './candidate.js';
import { createSample } from './sample.js';
import { MIN_ALIKE_SHARE, addExample, shareOf } from './thresholds.js';

const WWW = 'www.';
/** If one pair in four differed, ten random pairs would all be equal in 6 cases of 100. */
const MIN_TWINS = 10;
const PAIRS_PER_READ = 20;
/** If both hosts together have more pages, half are dropped. */
const MAX_COMPARED_PAGES = 65_536;
/** A host that returns the same page for every URL would seem equal to any host. */
const MIN_DISTINCT_SHARE = 0.25;

type Form = 'with' | 'without';
type Pages = Partial<Record<Form, Twin>>;

/** A page of one of the two hosts: with `www.`, or without. */
interface Twin {
  readonly key: string;
  readonly url: string;
  readonly isKept: boolean;
  readonly state: 'unfetched' | 'fetched' | 'leads' | 'failed';
  /** The document of the page. Undefined: the page was not fetched. */
  readonly document: string | undefined;
  /** Whether the page redirects to the same page in the other form, names that page as canonical, or was found to be a copy of it. */
  readonly namesOther: boolean;
}

/** Figures for one scheme and port: of the pages in the form that the rule would replace. */
interface Site {
  /** Number of pages that exist, or must stay. */
  pages: number;
  compared: number;
  /** Number of pages that must stay. */
  kept: number;
  /** Number of pages that must stay and also exist in the other form. */
  safe: number;
}

interface Verdict {
  readonly to: Form;
  readonly sites: Map<string, Site>;
  alike: number;
  different: number;
  /** Number of pages that must stay, and that the rule would lose. */
  lost: number;
  /** Number of pages in the other form that redirect to the form `to`, name it as canonical, or are copies of it. */
  named: number;
  readonly documents: Set<string>;
  documentPages: number;
  readonly examples: string[];
}

/**
 * Finds out whether a domain has the same pages with and without `www.`, and which form its pages prefer. URLs are compared with scheme
 * and port, because this finder does not decide between http and https.
 *
 * A form becomes a candidate under two conditions: at least 10 pages of the other form are known to exist in this form too, and nearly
 * all pages that can be compared are equal. Two pages are equal if they are the same document, by bytes or by title and text; or if one
 * of them redirects to the other or names the other as canonical.
 *
 * The rule would lose a page that fails in the new form, is another document there, or redirects back. If such a page must stay, the form
 * is no candidate. A page that is known only in one form is assumed to exist in both. This assumption needs evidence under each scheme
 * and port: at least 10 pages were compared; and of the pages that must stay, at least 10 exist in both forms, or all if there are fewer.
 *
 * If both forms qualify, redirects and canonicals decide between them. If these are equal, the form with more pages is the candidate.
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
      while (pages.size > MAX_COMPARED_PAGES) {
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
 * Reads the texts of pages that were fetched in both forms and differ in some bytes. For example, the links of a page may name one form.
 * If the texts are equal, the pages are the same document. Reading stops when too many pages differ for a proposal.
 */
async function compareTexts(pages: Map<number, Pages>, read: ReadTexts): Promise<void> {
  const fetched = [...pages].filter(
    ([, twins]) => twins.with?.state === 'fetched' && twins.without?.state === 'fetched',
  );
  const unlike = fetched.filter(([, twins]) => !compare(twins.with!, twins.without));
  let different = 0;
  if (fetched.length < MIN_TWINS) return;
  for (let i = 0; i < unlike.length && different <= (1 - MIN_ALIKE_SHARE) * fetched.length; i += PAIRS_PER_READ) {
    const some = unlike.slice(i, i + PAIRS_PER_READ);
    const texts = await read(some.flatMap(([, twins]) => [twins.with!.key, twins.without!.key]));
    for (const [at, [hash, twins]] of some.entries()) {
      const [one, other] = [saidBy(texts[2 * at]), saidBy(texts[2 * at + 1])];
      if (one === undefined || one !== other) different += 1;
      else pages.set(hash, { with: { ...twins.with!, document: one }, without: { ...twins.without!, document: one } });
    }
  }
}

/** Returns a digest of title and text. Undefined: the text is empty. */
function saidBy({ title = '', text = '' }: PageTexts = {}): string | undefined {
  const said = `${title}\n${text}`.replace(/\s+/g, ' ').trim();
  return text.trim() === '' ? undefined : createHash('md5').update(said).digest('hex');
}

/** Returns a domain without `www.`. The domain `www.com` stays unchanged. */
const withoutWww = (domain: string): string => domain.replace(/^www\.(?=.*\.)/, '');

const inOneForm = (url: string): string => url.replace('://www.', '://');

/** Returns a text that is equal for both forms and both schemes of a page. Many sites redirect to the other form and to https at once. */
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

/** Whether a page exists in the target form too. Undefined: this is not known, or the source form has no such page. */
function compare(source: Twin, target: Twin | undefined): boolean | undefined {
  // The target redirects to the source, or names it as canonical. With the rule, it would redirect to itself, and the page would never be
  // fetched.
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

const siteOf = (url: string): string => url.replace(/^([^:]*:)\/\/[^/]*?(:\d+)?\/.*$/s, '$1$2');

/** Whether enough pages were compared to assume that the other pages exist in the other form too. */
function isKnown({ pages, compared, kept, safe }: Site): boolean {
  return compared >= Math.min(pages, MIN_TWINS) && safe >= Math.min(kept, MIN_TWINS);
}

function isGood({ sites, alike, different, lost, documents, documentPages }: Verdict): boolean {
  return (
    [...sites.values()].every(isKnown) &&
    alike >= MIN_TWINS &&
    alike >= MIN_ALIKE_SHARE * (alike + different) &&
    lost === 0 &&
    documents.size >= MIN_DISTINCT_SHARE * documentPages
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
