import type { CrawlContext } from '../core/index.js';
import { canonicalKeyOf } from './documents/build-document.js';

/**
 * Removes the entries of pages that no longer name a canonical page, and the notes on canonical pages that no page names any longer.
 * Without this, a page that names a different canonical page at each fetch would leave an entry and a note each time. Call the function
 * while no other run of the index is in progress.
 * @param isEnded called after each step. If it returns true, the next call removes the other entries and notes
 */
export async function sweepCanonicals({ tables }: CrawlContext, isEnded: () => boolean): Promise<void> {
  const { pages, canonicals } = tables;
  /** The canonical page whose entries are being read, whether it has a note, and whether any page still names it. */
  let current = { canonical: '', hasNote: false, isNamed: true };
  let unnamed = new Map<string, undefined>();

  function next(canonical: string): void {
    if (current.canonical === canonical) return;
    if (current.hasNote && !current.isNamed) unnamed.set(current.canonical, undefined);
    current = { canonical, hasNote: false, isNamed: false };
  }

  for await (const step of canonicals.all()) {
    if (isEnded()) return;
    const keys = [...new Set(step.flatMap(({ page }) => page ?? []))];
    const rows = await pages.getMany(keys, ['parseStatus']);
    const naming = new Map(
      keys.map((key, i) => [key, rows[i]?.damaged ? 'unknown' : rows[i] && canonicalKeyOf(rows[i])]),
    );
    const stale: { readonly page: string; readonly canonical: string }[] = [];
    for (const { canonical, page } of step) {
      next(canonical);
      if (page === undefined) current.hasNote = true;
      else if (naming.get(page) === canonical || naming.get(page) === 'unknown') current.isNamed = true;
      else stale.push({ page, canonical });
    }
    await canonicals.remove(stale);
    await canonicals.note(unnamed);
    unnamed = new Map();
  }
  next('');
  await canonicals.note(unnamed);
}
