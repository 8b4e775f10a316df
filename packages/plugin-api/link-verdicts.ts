import { createBoundedCache } from '../util/index.js';
import type { Plugin } from './plugin.js';
import { applyUrlChain, urlSteps, type UrlTraits, type UrlVerdict } from './url-chain.js';

/** What the URL chain makes of the link of a page; see {@link linkVerdicts}. */
export type LinkVerdicts = (url: string, traits?: UrlTraits) => UrlVerdict;

/** Characters of URLs, with {@link ENTRY} for each: about twenty thousand URLs, which is more than most sites have in their menus. */
const MOST_CHARACTERS = 4_000_000;
/** What an entry takes beside its URL, in characters. */
const ENTRY = 100;

const known = new WeakMap<readonly Plugin[], LinkVerdicts>();

/**
 * What {@link applyUrlChain} says of links (scope `outlink`), remembered: the pages of a site have most of their links in
 * common. Only the steps before the first plugin without a `version` are; the others are called each time. Each
 * list of plugins has a memory of its own in each thread, of a bounded size, which ends with the list.
 */
export function linkVerdicts(plugins: readonly Plugin[]): LinkVerdicts {
  let verdicts = known.get(plugins);
  if (!verdicts) known.set(plugins, (verdicts = createLinkVerdicts(plugins)));
  return verdicts;
}

function createLinkVerdicts(plugins: readonly Plugin[]): LinkVerdicts {
  const steps = urlSteps(plugins);
  const first = steps.findIndex(({ of }) => of.version === undefined);
  const remembered = first < 0 ? steps : steps.slice(0, first);
  const others = steps.slice(remembered.length);
  const cache = createBoundedCache<UrlVerdict>(MOST_CHARACTERS);

  function rememberedVerdict(url: string): UrlVerdict {
    let verdict = cache.get(url);
    if (!verdict) {
      verdict = applyUrlChain(remembered, url, 'outlink');
      cache.set(url, verdict, url.length + ENTRY);
    }
    return verdict;
  }

  return (url, traits) => {
    // Sitemaps are few, and filters see their URLs in another form.
    if (traits?.sitemap) return applyUrlChain(plugins, url, 'outlink', traits);
    const verdict = rememberedVerdict(url);
    return verdict.accepted && others.length > 0 ? applyUrlChain(others, verdict.url, 'outlink') : verdict;
  };
}
