import { figures } from '../util/index.js';
import type { ChangeSide } from '../core/index.js';
import type { PageRecord } from './read-changes.js';

const { number, quantity } = figures;

/** Describes a record of a host, without the name of the host. */
export function hostText({ failing, requested }: { readonly failing: number; readonly requested: number }): string {
  return `${number(failing)} of ${quantity(requested, 'page')} failed together; their changes wait for a second fetch`;
}

/** Describes the known details of a change for people, one line for each detail. Titles are untrusted. */
export function changeDetails({ kinds, before, after, links }: PageRecord): string[] {
  const lines: string[] = [];
  if (kinds.includes('title')) lines.push(`title: "${before?.title ?? ''}" -> "${after.title ?? ''}"`);
  if (kinds.includes('content') && before?.length !== undefined && after.length !== undefined) {
    lines.push(`content: ${number(before.length)} -> ${quantity(after.length, 'character')}`);
  }
  if (kinds.includes('redirect')) lines.push(`redirect: ${standsText(before)} -> ${standsText(after)}`);
  if (kinds.some((kind) => kind === 'status' || kind === 'gone' || kind === 'back')) {
    lines.push(`status: ${responseText(before)} -> ${responseText(after)}`);
  }
  if (kinds.includes('noindex')) lines.push(after.noindex ? 'noindex: set' : 'noindex: lifted');
  if (kinds.includes('links')) lines.push(`links: ${linksText(before)} -> ${linksText(after)}`);
  if (links) {
    lines.push(
      ...links.added.map((url) => `link added: ${url}`),
      ...links.removed.map((url) => `link removed: ${url}`),
    );
    if (links.isCut) lines.push('(more links were left out)');
  }
  return lines;
}

function standsText(side: ChangeSide | undefined): string {
  if (side?.is !== 'redirect') return 'none';
  return side.target ?? 'another page';
}

function responseText(side: ChangeSide | undefined): string {
  if (!side) return 'unknown';
  const { is, http, code } = side;
  if (http !== undefined) return String(http);
  return code ?? (is === 'failing' ? 'failing' : 'available');
}

function linksText({ links = 0, externalLinks = 0 }: Partial<ChangeSide> = {}): string {
  return `${number(links)} within the host, ${number(externalLinks)} to others`;
}
