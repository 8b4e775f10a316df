import type { CrawlContext } from '../jobs/index.js';
import { canonicalKeyOf } from './documents/build-document.js';

/**
 * Removes what is entered of pages that name another page as canonical and do so no more, and the notes of pages that nobody names:
 * a page whose canonical is another at each fetch would leave some each time. Call it where no other run of the index is under way.
 * @param isEnded asked after each step; what is left is swept the next time
 */
export async function sweepCanonicals({ tables }: CrawlContext, isEnded: () => boolean): Promise<void> {
  const { pages, canonicals } = tables;
  /** The page whose links are read, whether it has a note, and whether a link of it is left. */
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
