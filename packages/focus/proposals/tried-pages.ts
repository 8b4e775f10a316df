import { MIN_FETCHED } from '../candidates/thresholds.js';

/** URLs of other forms are counted together. */
const MAX_FORMS_PER_PROPOSAL = 500;
const OTHERS = '';

export type TriedPages = ReturnType<typeof createTriedPages>;

/**
 * Counts the pages that a proposal rejects, and those with known links, for each form of URL. The links of a page are known if the page was
 * parsed, or redirects. Pages with URLs of one form are mostly of the same kind. For example, the days of an archive list articles, but its
 * years and months do not. So it is not enough to read the years and months. Memory is bounded by {@link MAX_FORMS_PER_PROPOSAL} for each
 * proposal.
 */
export function createTriedPages() {
  const forms = new Map<number, Map<string, { rows: number; read: number }>>();
  return {
    /**
     * Adds a page that a proposal rejects.
     * @param path path and query
     * @param isRead whether the links of the page are known
     */
    add(proposal: number, path: string, isRead: boolean): void {
      let ofProposal = forms.get(proposal);
      if (!ofProposal) forms.set(proposal, (ofProposal = new Map<string, { rows: number; read: number }>()));
      for (const form of formsOf(path)) {
        const name = ofProposal.has(form) || ofProposal.size < MAX_FORMS_PER_PROPOSAL ? form : OTHERS;
        const counts = ofProposal.get(name) ?? { rows: 0, read: 0 };
        ofProposal.set(name, counts);
        counts.rows += 1;
        if (isRead) counts.read += 1;
      }
    },
    /** Whether enough pages were read for each form of URL, or all pages of the form. */
    isTried: (proposal: number): boolean =>
      [...(forms.get(proposal)?.values() ?? [])].every(({ rows, read }) => read >= Math.min(rows, MIN_FETCHED)),
  };
}

/**
 * Returns the forms of a URL. A form shows where the path has words and numbers. A URL with a query has one form for each parameter, with
 * the name of the parameter at the end: `/w/#/w#?page`. Parameters are not combined, because filters occur in very many combinations.
 * @param path path and query
 */
export function formsOf(path: string): string[] {
  const mark = path.indexOf('?');
  const form = (mark < 0 ? path : path.slice(0, mark)).split('/').map(formOfSegment).join('/');
  if (mark < 0) return [form];
  const names = path
    .slice(mark + 1)
    .split('&')
    .map((part) => part.split('=', 1)[0]!);
  return [...new Set(names)].map((name) => `${form}?${name}`);
}

function formOfSegment(segment: string): string {
  if (segment === '') return '';
  if (/^\d+$/.test(segment)) return '#';
  return /\d/.test(segment) ? 'w#' : 'w';
}
