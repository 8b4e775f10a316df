import { createBoundedCache } from '../util/index.js';
import type { Plugin } from './plugin.js';
import { applyUrlChain, urlSteps, type UrlTraits, type UrlVerdict } from './url-chain.js';

type LinkVerdicts = (url: string, traits?: UrlTraits) => UrlVerdict;

/**
 * Maximum characters of all cached URLs. For each URL, {@link ENTRY_CHARACTERS} characters are added. The cache has room for about twenty
 * thousand URLs, which is more than the menus of most sites have.
 */
const MAX_CACHED_CHARACTERS = 4_000_000;
/** The memory of an entry without its URL. */
const ENTRY_CHARACTERS = 100;

const known = new WeakMap<readonly Plugin[], LinkVerdicts>();

/**
 * Returns the verdicts of {@link applyUrlChain} on links (scope `outlink`). They are cached, because the pages of a site have most of their
 * links in common. Only the steps before the first plugin without a `version` are cached. The later steps run each time. Each list of
 * plugins has its own cache of bounded size in each thread. The cache is freed together with the list.
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
  const cache = createBoundedCache<UrlVerdict>(MAX_CACHED_CHARACTERS);

  function rememberedVerdict(url: string): UrlVerdict {
    let verdict = cache.get(url);
    if (!verdict) {
      verdict = applyUrlChain(remembered, url, 'outlink');
      cache.set(url, verdict, url.length + ENTRY_CHARACTERS);
    }
    return verdict;
  }

  return (url, traits) => {
    // The verdicts on sitemaps are not cached, because sitemaps are few, and filters receive their URLs in another form.
    if (traits?.sitemap) return applyUrlChain(plugins, url, 'outlink', traits);
    const verdict = rememberedVerdict(url);
    return verdict.accepted && others.length > 0 ? applyUrlChain(others, verdict.url, 'outlink') : verdict;
  };
}
