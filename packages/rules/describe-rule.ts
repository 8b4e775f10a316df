import { safeText } from '../errors/index.js';
import type { ProposedRule, Rule } from '../../webtable/index.js';

/** Describes a rule for people in a short text: `reject /tag/ on host news.example`. */
export function describeRule(rule: ProposedRule): string {
  const [kind, name] = splitScope(rule.scope);
  if (rule.kind === 'www') return `www: ${name} is written ${rule.to} www`;
  const { pattern } = rule;
  const what = 'prefix' in pattern ? pattern.prefix : `regex ${pattern.regex}`;
  return `${rule.kind} ${safeText(what, 200)} on ${kind === '*' ? 'all hosts' : `${kind} ${name}`}`;
}

/** Describes a rule with id, author and date: `r12 (reject /tag/ on host news.example, by hand 2026-11-22)`. */
export function describeRuleInFull(rule: Rule): string {
  const by = rule.origin === 'generated' ? 'generated' : 'by hand';
  return `${rule.id} (${describeRule(rule)}, ${by} ${dayOf(rule.createdAt)})`;
}

function splitScope(scope: Rule['scope']): [kind: string, name: string] {
  const colon = scope.indexOf(':');
  return colon < 0 ? ['*', ''] : [scope.slice(0, colon), safeText(scope.slice(colon + 1), 100)];
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
