import type { RuleReport, Worth, Yield } from '../../focus/index.js';
import { describeRule } from '../../rules/index.js';
import { figures } from '../../util/index.js';
import { html, type Html } from '../http/html.js';
import { bar, figuresRow, scrolled } from './bar.js';
import { rulesLayout } from './rules-page.js';

const { number, quantity, duration } = figures;

/** Rules and domains that are shown. */
const MOST_RULES = 200;
const MOST_DOMAINS = 50;

/** What each rule cut or let through, and what the pages that were kept are worth. */
export function ruleReportPage(report: RuleReport, now: number): Html {
  const { all, rules, domains, otherDomains, hasUseful, at, stale, seconds } = report;
  const shown = domains.slice(0, MOST_DOMAINS);
  const left = domains.length - shown.length + (otherDomains?.domains ?? 0);
  return rulesLayout('Report', 'report', [
    html`<p class="facts">
      From all ${quantity(all.rows, 'row')} of the table, ${duration(Math.max(0, Math.round((now - at) / 1000)))} ago;
      it took ${duration(seconds)}.
    </p>`,
    stale > 0 &&
      html`<p class="note">
        ${quantity(stale, 'page')} ${stale === 1 ? 'is' : 'are'} marked otherwise than the rules of now say:
        <code>webcrawl rules apply</code> brings the marks up to date.
      </p>`,
    html`<dl class="tiles">
      ${tilesOf(all, hasUseful).map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
    </dl>`,
    !hasUseful &&
      html`<p>
        No rule says what is useful, so nobody knows what the pages are worth:
        <code>webcrawl rules add useful --help</code> says how one is made.
      </p>`,
    rules.length > 0 &&
      html`<section class="card wide-card">
        <h2>What each rule decided on</h2>
        ${scrolled(
          'What each rule decided on',
          ['Rule', 'Pages', 'Useful', 'Passed over', 'Links cut', 'Let in', 'Useful before', 'Useful since'],
          rules.slice(0, MOST_RULES).map(({ rule, decides, counts, passed, before, since }) => {
            const isActive = rule.state === 'active';
            return figuresRow(
              html`<a href="/rules#${rule.id}">${rule.id}</a>
                <bdi dir="ltr">${describeRule(rule)}</bdi>${!isActive && ', disabled'}`,
              [
                number(decides.rows),
                hasUseful ? number(decides.useful) : '–',
                number(counts.refused),
                number(counts.links),
                passed ? number(passed.rows) : '–',
                isActive && hasUseful ? yieldText(before) : '–',
                isActive && hasUseful ? yieldText(since) : '–',
              ],
            );
          }),
        )}
        ${rules.length > MOST_RULES && html`<p class="quiet">${number(rules.length - MOST_RULES)} more are in <a href="/api/rules/report">the report as JSON</a>.</p>`}
        <p class="quiet">
          Useful before and since: of the pages of the rule's hosts, the share that is useful of those last fetched
          before it came to hold, and of those fetched since.
        </p>
      </section>`,
    shown.length > 0 &&
      html`<section class="card wide-card">
        <h2>Pages by domain</h2>
        ${scrolled(
          'Pages by domain',
          hasUseful
            ? ['Domain', 'Known', 'Fetched', 'Useful', 'Share', 'Waiting', 'Cut']
            : ['Domain', 'Known', 'Fetched'],
          shown.map((each) =>
            figuresRow(html`<bdi>${each.domain}</bdi>`, [
              number(each.rows),
              number(each.fetched),
              ...(hasUseful
                ? [
                    number(each.usefulFetched),
                    html`${bar(each.fetched > 0 ? each.usefulFetched / each.fetched : 0)}
                    ${shareText(each.usefulFetched, each.fetched)}`,
                    number(each.usefulWaiting),
                    number(each.usefulCut),
                  ]
                : []),
            ]),
          ),
        )}
        ${left > 0 && html`<p class="quiet">And ${quantity(left, 'more domain')}.</p>`}
      </section>`,
  ]);
}

function tilesOf(all: Worth, hasUseful: boolean): [string, string][] {
  return [
    ['Pages known', number(all.rows)],
    ['Fetched', number(all.fetched)],
    ...(hasUseful
      ? ([
          ['Of these useful', `${number(all.usefulFetched)} (${shareText(all.usefulFetched, all.fetched)})`],
          ['Useful, not fetched yet', number(all.usefulWaiting)],
          ['Useful, cut by a rule', number(all.usefulCut)],
        ] satisfies [string, string][])
      : []),
  ];
}

function yieldText({ useful, fetched }: Yield): string {
  return fetched > 0 ? `${shareText(useful, fetched)} of ${number(fetched)}` : '–';
}

function shareText(part: number, whole: number): string {
  return whole > 0 ? `${number((100 * part) / whole, 1)} %` : '–';
}
