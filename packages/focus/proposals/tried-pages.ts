import { LEAST_FETCHED } from '../candidates/thresholds.js';

/** Forms of URLs that are told apart among what one proposal cuts; those beyond are taken for one. */
const MOST_FORMS = 500;
const OTHERS = '';

/** Whether enough is known of what proposals cut. */
export interface TriedPages {
  /** Takes a page that a proposal cuts. @param path path and query */
  add(proposal: number, path: string, isRead: boolean): void;
  /** Whether of each form of URLs that it cuts enough were read, or all. */
  isTried(proposal: number): boolean;
}

/**
 * Counts what was read of the pages that proposals cut, by the form of their URLs. Where a page leads is known when it was parsed, or redirects, and pages
 * of one form are mostly of one kind: an archive is no way to anything as long as only its years and months were fetched, and
 * its days, which list the articles, were not. Memory is bounded by {@link MOST_FORMS} for each proposal.
 */
export function createTriedPages(): TriedPages {
  const forms = new Map<number, Map<string, { rows: number; read: number }>>();
  return {
    add(proposal, path, isRead) {
      let ofProposal = forms.get(proposal);
      if (!ofProposal) forms.set(proposal, (ofProposal = new Map<string, { rows: number; read: number }>()));
      for (const form of formsOf(path)) {
        const name = ofProposal.has(form) || ofProposal.size < MOST_FORMS ? form : OTHERS;
        const counts = ofProposal.get(name) ?? { rows: 0, read: 0 };
        ofProposal.set(name, counts);
        counts.rows += 1;
        if (isRead) counts.read += 1;
      }
    },
    isTried: (proposal) =>
      [...(forms.get(proposal)?.values() ?? [])].every(({ rows, read }) => read >= Math.min(rows, LEAST_FETCHED)),
  };
}

/**
 * The forms that a URL has: words and numbers of its path, and that with the name of each parameter, `/w/#/w#?page`. Parameters count one by
 * one, since those of filters come together in very many ways.
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
