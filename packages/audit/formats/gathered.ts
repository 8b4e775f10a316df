import type { AuditFinding, AuditReport, AuditRule } from '../report.js';
import { rulesById } from './writer.js';

export interface RuleFindings {
  readonly rule: AuditRule;
  readonly first: AuditFinding[];
  count: number;
}

/** Findings by rule. The rule with the most severe finding comes first. */
export interface Gathered {
  readonly rules: readonly RuleFindings[];
  readonly total: number;
  /** The highest impact of a finding. */
  readonly most: number;
}

/** Reads a report to its end, and stores at most `max` findings of each rule. */
export async function gather(report: AuditReport, max: number): Promise<Gathered> {
  const ruleOf = rulesById(report.summary);
  const byRule = new Map<string, RuleFindings>();
  let total = 0;
  let most = 0;
  for await (const finding of report.findings) {
    let rule = byRule.get(finding.rule);
    if (rule === undefined) {
      rule = { rule: ruleOf(finding), first: [], count: 0 };
      byRule.set(finding.rule, rule);
    }
    rule.count++;
    if (rule.first.length < max) rule.first.push(finding);
    total++;
    most = Math.max(most, finding.impact);
  }
  return { rules: [...byRule.values()], total, most };
}
