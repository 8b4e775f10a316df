import { inTimeSlices, sortSteps, type Steps } from '../util/index.js';
import { numberOfRule, type Rule } from '../../webtable/index.js';

type Ordered = Pick<Rule, 'id' | 'kind' | 'scope' | 'origin'>;

function breadthOf(scope: Rule['scope']): number {
  if (scope === '*') return 2;
  return scope.startsWith('domain:') ? 1 : 0;
}

/** Returns the number of labels of a domain. More labels mean a narrower domain. A name has at most 127 labels. */
function labelsOf(scope: Rule['scope']): number {
  return scope.startsWith('domain:') ? Math.min(999, scope.split('.').length) : 0;
}

/**
 * Copies rules into their order of evaluation, in steps. In this order, the first `accept` or `reject` rule that matches a URL decides.
 * Rules of a host come first, then rules of a domain, then rules of all hosts. Of two domains, the narrower one comes first. Then rules
 * made by hand come before generated ones. Among rules that are still equal, `accept` comes before `reject`, because an `accept` rule is
 * an exception from a `reject` rule with the same scope. Last, the older rule comes first.
 */
export function* sortRules<R extends Ordered>(rules: readonly R[]): Steps<R[]> {
  // With a hundred thousand rules, the sort compares each rule about seventeen times. So the keys are computed only once.
  const keys: { readonly rule: R; readonly group: number; readonly number: number }[] = [];
  for (const rule of rules) {
    const { scope, origin, kind } = rule;
    const width = breadthOf(scope) * 1000 - labelsOf(scope);
    const group = 4 * width + 2 * Number(origin === 'generated') + Number(kind !== 'accept');
    if (keys.push({ rule, group, number: numberOfRule(rule.id) }) % RULES_PER_STEP === 0) yield;
  }
  const sorted = yield* sortSteps(keys, (a, b) => a.group - b.group || a.number - b.number);
  return sorted.map(({ rule }) => rule);
}

const RULES_PER_STEP = 1000;

/** Returns a key that is equal for two rules that decide on the same URLs. */
function subjectOf(rule: Rule): string | undefined {
  if (rule.kind === 'relevant') return undefined;
  if (rule.kind === 'www') return `www\n${rule.scope}`;
  const { scope, pattern } = rule;
  return 'prefix' in pattern ? `prefix\n${scope}\n${pattern.prefix}` : `regex\n${scope}\n${pattern.regex}`;
}

/** Two active rules that contradict each other on the same URLs. */
export interface Contradiction {
  /** The id of the rule that decides. */
  readonly decides: string;
  /** The id of the rule that has no effect. */
  readonly idle: string;
}

/**
 * Returns pairs of active rules that contradict each other. Such rules have the same scope and pattern. Either one is of kind `accept` and
 * the other of kind `reject`, or both are of kind `www`, one adds `www.` and the other removes it.
 */
export async function contradictionsOf(rules: readonly Rule[]): Promise<Contradiction[]> {
  return inTimeSlices(contradictionSteps(await inTimeSlices(sortRules(rules))));
}

/**
 * Returns the same pairs as {@link contradictionsOf}.
 * @param sorted rules in order of evaluation
 */
export function* contradictionSteps(sorted: readonly Rule[]): Steps<Contradiction[]> {
  const first = new Map<string, Rule>();
  const found: Contradiction[] = [];
  for (const [i, rule] of sorted.entries()) {
    if (i % RULES_PER_STEP === 0) yield;
    const subject = rule.state === 'active' ? subjectOf(rule) : undefined;
    if (subject === undefined) continue;
    const before = first.get(subject);
    if (!before) first.set(subject, rule);
    else if (saysOf(before) !== saysOf(rule)) found.push({ decides: before.id, idle: rule.id });
  }
  return found;
}

const saysOf = (rule: Rule): string => (rule.kind === 'www' ? rule.to : rule.kind);
