import type { UrlStep } from '../../plugin-api/index.js';
import { RULES_PLUGIN } from '../../rules/index.js';
import type { Rule } from '../../../webtable/index.js';
import type { CrawlContext } from '../context.js';

/** The rules of the table that are of one URL. */
export interface ExplainedRules {
  /** The `www` rule that writes it otherwise. */
  readonly rewrites?: Rule;
  /** The `accept` or `reject` rule that decides. */
  readonly decides?: Rule;
  /** The `useful` rule that says that it is worth having. */
  readonly useful?: Rule;
}

/** @param url normalised; @param steps what the normalisers did, of which the rules are the last */
export function explainRules(
  { ruleSet }: Pick<CrawlContext, 'ruleSet'>,
  steps: readonly UrlStep[],
  url: string | undefined,
): { readonly rules?: ExplainedRules } {
  if (!ruleSet || url === undefined) return {};
  const step = steps.find((each) => each.kind === 'normalizer' && each.name === RULES_PLUGIN);
  const rewrites = step?.kind === 'normalizer' ? ruleSet.rewrite(step.before)?.rule : undefined;
  const decides = ruleSet.decides(url);
  const useful = ruleSet.usefulFor(url);
  if (!rewrites && !decides && !useful) return {};
  return { rules: { ...(rewrites && { rewrites }), ...(decides && { decides }), ...(useful && { useful }) } };
}
