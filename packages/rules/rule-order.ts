import { numberOfRule, type Rule } from '../../webtable/index.js';

/** What the order of decision goes by. */
type Ordered = Pick<Rule, 'id' | 'kind' | 'scope' | 'origin'>;

/**
 * The order in which `accept` and `reject` rules are asked; the first that matches decides: those of a host before those of a
 * domain before those of all, of two domains the narrower one first, then those made by hand before those that were generated, then
 * `accept` before `reject`, since it is an exemption from what is rejected as widely, then the older first.
 */
export function compareRules(a: Ordered, b: Ordered): number {
  return (
    breadthOf(a.scope) - breadthOf(b.scope) ||
    labelsOf(b.scope) - labelsOf(a.scope) ||
    Number(a.origin === 'generated') - Number(b.origin === 'generated') ||
    Number(a.kind !== 'accept') - Number(b.kind !== 'accept') ||
    numberOfRule(a.id) - numberOfRule(b.id)
  );
}

function breadthOf(scope: Rule['scope']): number {
  if (scope === '*') return 2;
  return scope.startsWith('domain:') ? 1 : 0;
}

/** How narrow a domain is. */
function labelsOf(scope: Rule['scope']): number {
  return scope.startsWith('domain:') ? scope.split('.').length : 0;
}

/** What two rules have in common that say the opposite of the same URLs. */
function subjectOf(rule: Rule): string | undefined {
  if (rule.kind === 'useful') return undefined;
  return JSON.stringify(rule.kind === 'www' ? ['www', rule.scope] : [rule.scope, rule.pattern]);
}

/** Two active rules that say the opposite of the same URLs. */
export interface Contradiction {
  /** The id of the one that decides. */
  readonly decides: string;
  /** The id of the one that never does. */
  readonly idle: string;
}

/** The active rules that contradict each other: accept and reject, or with and without www, of the same scope and pattern. */
export function contradictionsOf(rules: readonly Rule[]): Contradiction[] {
  const first = new Map<string, Rule>();
  const found: Contradiction[] = [];
  for (const rule of rules.filter(({ state }) => state === 'active').sort(compareRules)) {
    const subject = subjectOf(rule);
    if (subject === undefined) continue;
    const before = first.get(subject);
    if (!before) first.set(subject, rule);
    else if (saysOf(before) !== saysOf(rule)) found.push({ decides: before.id, idle: rule.id });
  }
  return found;
}

const saysOf = (rule: Rule): string => (rule.kind === 'www' ? rule.to : rule.kind);
