import type { LargeSection } from '../../packages/webcrawl/internal.js';

export function sectionNote({ prefix, pages, of, sessionIds }: LargeSection): string {
  const share = `${Math.floor((100 * pages) / of)} % of the pages of this run are`;
  if (sessionIds) {
    const { parameters, addresses } = sessionIds;
    return (
      `${share} ${addresses} pages of ${prefix} with other values of ${parameters.join(', ')}. If these are session ids: a rule in ` +
      `urlnormalizer.regexFile removes them, or --exclude '[?&;](${parameters.map(literal).join('|')})=' excludes such URLs.`
    );
  }
  return (
    `${share} below ${prefix}. If that section is endless: ` +
    `--exclude '^${literal(prefix)}([/?]|$)' excludes it; webcrawl prefixes shows all parts of the site.`
  );
}

function literal(text: string): string {
  return text.replace(/[.*+?^$()[\]{}|\\]/g, '\\$&').replaceAll("'", '.');
}
