import type { RuleReport, Worth, Yield } from '../../focus/index.js';
import { describeRule } from '../../rules/index.js';
import { figures } from '../../util/index.js';
import { html } from '../http/html.js';
import { bar, figuresRow, namedValues, scrolled } from './bar.js';
import type { Layout } from './layout.js';
import { rulesLayout } from './rules-page.js';

const { number, quantity, duration } = figures;

const MAX_SHOWN_RULES = 200;
const MAX_SHOWN_DOMAINS = 50;

export function ruleReportPage(report: RuleReport, now: number, isOperator: boolean): Layout {
  const { all, rules, domains, otherDomains, hasRelevant, at, stale, seconds } = report;
  const shown = domains.slice(0, MAX_SHOWN_DOMAINS);
  const left = domains.length - shown.length + (otherDomains?.domains ?? 0);
  return rulesLayout('Report', 'report', [
    html`<p class="facts">
      From all ${quantity(all.rows, 'row')} of the table, ${duration(Math.max(0, Math.round((now - at) / 1000)))} ago;
      it took ${duration(seconds)}.
    </p>`,
    stale > 0 &&
      html`<p class="note">
        The marks of ${quantity(stale, 'page')} do not match the present
        rules${isOperator ? html`: <code>webcrawl rules apply</code> brings the marks up to date.` : '.'}
      </p>`,
    namedValues('tiles', tilesOf(all, hasRelevant)),
    !hasRelevant &&
      html`<p>
        No rule says which pages are relevant, so their value is
        unknown${isOperator ? html`: <code>webcrawl rules add relevant --help</code> explains how to make such a rule.` : '.'}
      </p>`,
    rules.length > 0 &&
      html`<section class="card wide-card">
        <h2>What each rule decided on</h2>
        ${scrolled(
          'What each rule decided on',
          ['Rule', 'Pages', 'Relevant', 'Passed over', 'Links rejected', 'Let in', 'Relevant before', 'Relevant since'],
          rules.slice(0, MAX_SHOWN_RULES).map(({ rule, decides, counts, passed, before, since }) => {
            const isActive = rule.state === 'active';
            return figuresRow(
              html`<a href="/rules#${rule.id}">${rule.id}</a>
                <bdi dir="ltr">${describeRule(rule)}</bdi>${!isActive && ', disabled'}`,
              [
                number(decides.rows),
                hasRelevant ? number(decides.relevant) : '–',
                number(counts.refused),
                number(counts.links),
                passed ? number(passed.rows) : '–',
                isActive && hasRelevant ? yieldText(before) : '–',
                isActive && hasRelevant ? yieldText(since) : '–',
              ],
            );
          }),
        )}
        ${rules.length > MAX_SHOWN_RULES && html`<p class="quiet">${number(rules.length - MAX_SHOWN_RULES)} more are in <a href="/api/rules/report">the report as JSON</a>.</p>`}
        <p class="quiet">
          Relevant before and since: the share of relevant pages on the hosts of the rule, of the pages last fetched
          before the rule became active, and of the pages fetched since then.
        </p>
      </section>`,
    shown.length > 0 &&
      html`<section class="card wide-card">
        <h2>Pages by domain</h2>
        ${scrolled(
          'Pages by domain',
          hasRelevant
            ? ['Domain', 'Known', 'Fetched', 'Relevant', 'Share', 'Waiting', 'Rejected']
            : ['Domain', 'Known', 'Fetched'],
          shown.map((each) =>
            figuresRow(html`<bdi>${each.domain}</bdi>`, [
              number(each.rows),
              number(each.fetched),
              ...(hasRelevant
                ? [
                    number(each.relevantFetched),
                    html`${bar(each.fetched > 0 ? each.relevantFetched / each.fetched : 0)}
                    ${shareText(each.relevantFetched, each.fetched)}`,
                    number(each.relevantWaiting),
                    number(each.relevantRejected),
                  ]
                : []),
            ]),
          ),
        )}
        ${left > 0 && html`<p class="quiet">And ${quantity(left, 'more domain')}.</p>`}
      </section>`,
  ]);
}

function tilesOf(all: Worth, hasRelevant: boolean): [string, string][] {
  return [
    ['Pages known', number(all.rows)],
    ['Fetched', number(all.fetched)],
    ...(hasRelevant
      ? ([
          ['Of these relevant', `${number(all.relevantFetched)} (${shareText(all.relevantFetched, all.fetched)})`],
          ['Relevant, not fetched yet', number(all.relevantWaiting)],
          ['Relevant, rejected by a rule', number(all.relevantRejected)],
        ] satisfies [string, string][])
      : []),
  ];
}

function yieldText({ relevant, fetched }: Yield): string {
  return fetched > 0 ? `${shareText(relevant, fetched)} of ${number(fetched)}` : '–';
}

function shareText(part: number, whole: number): string {
  return whole > 0 ? `${number((100 * part) / whole, 1)} %` : '–';
}
