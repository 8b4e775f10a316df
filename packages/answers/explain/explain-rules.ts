import { RULES_PLUGIN, type UrlStep, type Rule, type RulesInForce } from '../../core/index.js';

/** The rules of the table that affect one URL. */
export interface ExplainedRules {
  /** The `www` rule that changes the host of the URL. */
  readonly rewrites?: Rule;
  /** The `accept` or `reject` rule that decides about the URL. */
  readonly decides?: Rule;
  /** The `relevant` rule that the URL matches. */
  readonly relevant?: Rule;
}

/**
 * @param url normalised
 * @param steps the steps of the normalisers; rules are the last step
 */
export function explainRules(
  { ruleSet }: RulesInForce,
  steps: readonly UrlStep[],
  url: string | undefined,
): { readonly rules?: ExplainedRules } {
  if (url === undefined) return {};
  const step = steps.find((each) => each.kind === 'normalizer' && each.name === RULES_PLUGIN);
  const rewrites = step?.kind === 'normalizer' ? ruleSet.rewrite(step.before)?.rule : undefined;
  const decides = ruleSet.decides(url);
  const relevant = ruleSet.relevantRule(url);
  if (!rewrites && !decides && !relevant) return {};
  return { rules: { ...(rewrites && { rewrites }), ...(decides && { decides }), ...(relevant && { relevant }) } };
}
