import { LEAST_FETCHED } from '../candidates/thresholds.js';

/** Forms of URLs that are told apart among what one proposal cuts; those beyond are taken for one. */
const MOST_FORMS = 500;
const OTHERS = '';

/** Whether enough is known of what proposals cut. */
export interface TriedPages {
  /** Takes a page that a proposal cuts. @param path path and query */
  add(proposal: number, path: string, isFetched: boolean): void;
  /** Whether of each form of URLs that it cuts enough were fetched, or all. */
  isTried(proposal: number): boolean;
}

/**
 * Counts what was fetched of the pages that proposals cut, by the form of their URLs. Where a page leads to is known when it was fetched, and pages
 * of one form are mostly of one kind: an archive is no way to anything as long as only its years and months were fetched, and
 * its days, which list the articles, were not. Memory is bounded by {@link MOST_FORMS} for each proposal.
 */
export function createTriedPages(): TriedPages {
  const forms = new Map<number, Map<string, { rows: number; fetched: number }>>();
  return {
    add(proposal, path, isFetched) {
      let ofProposal = forms.get(proposal);
      if (!ofProposal) forms.set(proposal, (ofProposal = new Map()));
      const form = formOf(path);
      const name = ofProposal.has(form) || ofProposal.size < MOST_FORMS ? form : OTHERS;
      const counts = ofProposal.get(name) ?? { rows: 0, fetched: 0 };
      ofProposal.set(name, counts);
      counts.rows += 1;
      if (isFetched) counts.fetched += 1;
    },
    isTried: (proposal) =>
      [...(forms.get(proposal)?.values() ?? [])].every(({ rows, fetched }) => fetched >= Math.min(rows, LEAST_FETCHED)),
  };
}

/** `/w/#/w#?page`: words and numbers of the path, and the names of parameters in their order by name. */
export function formOf(path: string): string {
  const mark = path.indexOf('?');
  const segments = (mark < 0 ? path : path.slice(0, mark)).split('/');
  const names = mark < 0 ? [] : path.slice(mark + 1).split('&').map((part) => part.split('=', 1)[0]!);
  const query = names.length === 0 ? '' : `?${[...new Set(names)].sort().join('&')}`;
  return segments.map(formOfSegment).join('/') + query;
}

function formOfSegment(segment: string): string {
  if (segment === '') return '';
  if (/^\d+$/.test(segment)) return '#';
  return /\d/.test(segment) ? 'w#' : 'w';
}
