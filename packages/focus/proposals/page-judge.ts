import { urlOf, type PageRow, type Rule, domainOf, hostOf } from '../../core/index.js';
import { compileRules, type RuleSet } from '../../rules/index.js';

/** The verdict of the present rules on a page. The URL is untrusted. */
interface JudgedPage {
  readonly url: string;
  readonly host: string;
  /** The registrable domain. */
  readonly domain: string;
  /** Whether the present rules accept the page: no rule refuses it or rewrites its URL. */
  readonly isTaken: boolean;
  readonly isRelevant: boolean;
  /**
   * Whether no proposal may reject the page. There are four such cases: the page is relevant; it is a seed; a rule made by hand accepts
   * it; a disabled generated rule would reject it.
   */
  readonly isKept: boolean;
}

type PageJudge = (row: Pick<PageRow<'marks'>, 'key' | 'marks'>) => JudgedPage;

const NO_FIT = { score: 0, other: 0 };

/** Makes a function that judges rows by a set of rules. The function is faster if rows of one host follow one another. */
export function createPageJudge(ruleSet: RuleSet): PageJudge {
  const isForbidden = createForbidden(ruleSet.stored.rules);
  let host = '';
  let domain = '';
  return ({ key, marks }) => {
    const url = urlOf(key);
    const ofPage = hostOf(url);
    if (ofPage !== host) [host, domain] = [ofPage, domainOf(ofPage)];
    const decider = ruleSet.decides(url);
    const isRelevant = ruleSet.relevantRule(url) !== undefined;
    return {
      url,
      host,
      domain,
      isTaken: decider?.kind !== 'reject' && ruleSet.rewrite(url) === undefined,
      isRelevant,
      isKept:
        isRelevant ||
        marks?.inject !== undefined ||
        (decider?.kind === 'accept' && decider.origin === 'hand') ||
        isForbidden(url),
    };
  };
}

/** Makes a function that tells whether a disabled generated rule would reject a URL. No rule that rejects such a URL is generated again. */
function createForbidden(rules: readonly Rule[]): (url: string) => boolean {
  const disabled = rules
    .filter(({ kind, origin, state }) => kind === 'reject' && origin === 'generated' && state === 'disabled')
    .map((rule): Rule => ({ ...rule, state: 'active' }));
  if (disabled.length === 0) return () => false;
  const { decides } = compileRules({ version: '', rules: disabled, damaged: [] }, NO_FIT);
  return (url) => decides(url) !== undefined;
}
