import { CrawlError, didYouMean, safeText } from '../../core/index.js';
import type { AuditFinding, AuditRule, Severity } from '../report.js';

/** The severities, the most severe first. As a condition, a severity includes the more severe ones. */
const SEVERITIES: readonly Severity[] = ['error', 'warn', 'notice'];
const NEW = ['new', 'new:target', 'new:link'] as const;

export interface FailCondition {
  readonly name: string;
  readonly holds: (finding: AuditFinding) => boolean;
}

export interface FailOnOptions {
  readonly rules: readonly AuditRule[];
  /** Whether the audit compares with a mark or a time. If not, no finding is new. */
  readonly hasSince: boolean;
}

/**
 * Parses the conditions of `--fail-on`, separated by commas: a rule, a group of rules, a severity (with all higher ones), or `new`,
 * `new:target`, `new:link`. `new` stands for errors and warnings whose target failed, or whose link was added, after the mark.
 * @throws CrawlError USAGE for an unknown name, and for `new` without a mark
 */
export function parseFailOn(texts: readonly string[], { rules, hasSince }: FailOnOptions): FailCondition[] {
  const names = texts.flatMap((text) => text.split(',')).map((name) => name.trim());
  if (names.length > 0 && names.every((name) => name === '')) throw unknownName('', rules);
  return [...new Set(names)]
    .filter((name) => name !== '')
    .map((name) => ({ name, holds: testOf(name, rules, hasSince) }));
}

function testOf(name: string, rules: readonly AuditRule[], hasSince: boolean): FailCondition['holds'] {
  const severity = SEVERITIES.indexOf(name as Severity);
  if (severity >= 0) return (finding) => SEVERITIES.indexOf(finding.severity) <= severity;
  if ((NEW as readonly string[]).includes(name)) {
    if (!hasSince) {
      throw new CrawlError('USAGE', `--fail-on ${name} needs --since`, {
        hint: 'webcrawl mark <name> names a moment, and --since <name> compares with it',
      });
    }
    const [, cause] = name.split(':');
    return ({ isNew, severity: of }) => isNew !== undefined && of !== 'notice' && (cause ?? isNew) === isNew;
  }
  const ids = new Set(rules.filter(({ id, group }) => id === name || group === name).map(({ id }) => id));
  if (ids.size === 0) throw unknownName(name, rules);
  return ({ rule }) => ids.has(rule);
}

function unknownName(name: string, rules: readonly AuditRule[]): CrawlError {
  const groups = [...new Set(rules.map(({ group }) => group))];
  const meant = didYouMean(name, [...SEVERITIES, ...NEW, ...groups, ...rules.map(({ id }) => id)]);
  const others = `severities are ${SEVERITIES.join(', ')}, groups ${groups.join(', ')}; webcrawl audit --rules lists the rules`;
  return new CrawlError('USAGE', `--fail-on ${safeText(name, 80)}: not a rule, a group or a severity`, {
    hint: meant === undefined ? others : `did you mean ${meant}? ${others}`,
  });
}
