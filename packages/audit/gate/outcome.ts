import { figures, safeText } from '../../core/index.js';
import type { AuditFinding, AuditSummary } from '../report.js';
import type { FailCondition } from './fail-on.js';

/** Whether an audit passes. */
export interface AuditOutcome {
  /** The exit status of the command: 1 if a finding meets a condition, or the audit is incomplete. */
  readonly exitCode: 0 | 1;
  /** The reason on one line. Undefined: there are no conditions, and no part is missing. */
  readonly reason: string | undefined;
}

const MAX_RULES = 5;

/**
 * Decides by its findings whether an audit fails. Only open findings count; unverified ones never fail. An audit without pages always
 * fails, and an incomplete one unless `allowPartial` is true.
 */
export function createGate(summary: AuditSummary, conditions: readonly FailCondition[], allowPartial: boolean) {
  const counts = conditions.map(() => new Map<string, number>());
  return {
    /** Whether a finding makes the audit fail. Each call counts the finding. */
    fails(finding: AuditFinding): boolean {
      if (finding.state !== 'open') return false;
      let fails = false;
      conditions.forEach(({ holds }, i) => {
        if (!holds(finding)) return;
        counts[i]!.set(finding.rule, (counts[i]!.get(finding.rule) ?? 0) + 1);
        fails = true;
      });
      return fails;
    },
    /** Call it after the last finding. */
    outcome(): AuditOutcome {
      if (summary.pages === 0) return { exitCode: 1, reason: `The audit fails: ${nothingAudited(summary)}.` };
      const partial = allowPartial ? undefined : partialReason(summary);
      const holding = conditions.flatMap(({ name }, i) =>
        counts[i]!.size === 0 ? [] : [holdsReason(name, counts[i]!)],
      );
      const why = [...(partial === undefined ? [] : [partial]), ...holding];
      if (why.length > 0) return { exitCode: 1, reason: `The audit fails: ${why.join('; ')}.` };
      if (conditions.length === 0) return { exitCode: 0, reason: undefined };
      return {
        exitCode: 0,
        reason: `The audit passes: no finding of --fail-on ${conditions.map(({ name }) => name).join(',')}.`,
      };
    },
  };
}

function nothingAudited({ because: [why = 'no page was fetched'] }: AuditSummary): string {
  return `nothing was audited: ${safeText(why)}`;
}

function partialReason({ complete, because }: AuditSummary): string | undefined {
  if (complete) return undefined;
  const [first, ...others] = because;
  const reasons = first === undefined ? 'pages are missing' : safeText(first);
  const more = others.length > 0 ? ` (and ${figures.quantity(others.length, 'other reason')})` : '';
  return `it is not complete, ${reasons}${more}; --allow-partial accepts this`;
}

function holdsReason(name: string, counts: ReadonlyMap<string, number>): string {
  const rules = [...counts].sort(([, a], [, b]) => b - a);
  const total = rules.reduce((sum, [, count]) => sum + count, 0);
  const named = rules.slice(0, MAX_RULES).map(([rule, count]) => `${rule} ${figures.number(count)}`);
  if (rules.length > MAX_RULES) named.push('…');
  return `--fail-on ${name}: ${figures.quantity(total, 'finding')} (${named.join(', ')})`;
}
