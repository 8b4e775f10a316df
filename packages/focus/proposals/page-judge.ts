import { urlOf, type PageRow, type Rule } from '../../../webtable/index.js';
import { compileRules, type RuleSet } from '../../rules/index.js';
import { domainOf, hostOf } from '../../url/index.js';

/** What the rules of now say of a page. URLs are untrusted. */
export interface JudgedPage {
  readonly url: string;
  readonly host: string;
  /** The registrable domain. */
  readonly domain: string;
  /** No rule refuses it, or writes it otherwise. */
  readonly isTaken: boolean;
  readonly isFit: boolean;
  /** No proposal may cut it: it is fit or a seed, a rule made by hand accepts it, or a generated rule was of it that is disabled. */
  readonly isKept: boolean;
}

/** Says what the rules of now say of a row. */
export type PageJudge = (row: Pick<PageRow<'marks'>, 'key' | 'marks'>) => JudgedPage;

const NO_FIT = { score: 0, other: 0, explore: 0 };

/** Makes what judges rows by a set of rules. Rows of one host that come one after the other cost less. */
export function createPageJudge(ruleSet: RuleSet): PageJudge {
  const isForbidden = createForbidden(ruleSet.stored.rules);
  let host = '';
  let domain = '';
  return ({ key, marks }) => {
    const url = urlOf(key);
    const ofPage = hostOf(url);
    if (ofPage !== host) [host, domain] = [ofPage, domainOf(ofPage)];
    const decider = ruleSet.decides(url);
    const isFit = ruleSet.usefulFor(url) !== undefined;
    return {
      url,
      host,
      domain,
      isTaken: decider?.kind !== 'reject' && ruleSet.rewrite(url) === undefined,
      isFit,
      isKept:
        isFit ||
        marks?.inject !== undefined ||
        (decider?.kind === 'accept' && decider.origin === 'hand') ||
        isForbidden(url),
    };
  };
}

/** Whether a generated rule rejected a URL that somebody has disabled: nothing that cuts it is to be generated again. */
function createForbidden(rules: readonly Rule[]): (url: string) => boolean {
  const disabled = rules
    .filter(({ kind, origin, state }) => kind === 'reject' && origin === 'generated' && state === 'disabled')
    .map((rule): Rule => ({ ...rule, state: 'active' }));
  if (disabled.length === 0) return () => false;
  const { decides } = compileRules({ version: '', rules: disabled, damaged: [] }, NO_FIT);
  return (url) => decides(url) !== undefined;
}
