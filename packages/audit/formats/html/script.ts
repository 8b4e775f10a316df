import { FINDING_FIELDS } from './rows.js';

/**
 * The script of the report. It reads the findings in the page and draws the rules. When the reader opens a rule, it draws the sections,
 * findings and sources. All text is inserted as text, never as markup. At most 200 findings of a section are drawn at once.
 */
export const SCRIPT = `
'use strict';
(() => {
const WINDOW = 200;
const MAX_OPEN = 30;
const LABELS = { error: 'error', warn: 'warning', notice: 'notice' };
const byId = (id) => document.getElementById(id);
const numbers = new Intl.NumberFormat('en-US');
const quantity = (count, noun) => numbers.format(count) + ' ' + noun + (count === 1 ? '' : 's');

const { rules, beside, pages } = JSON.parse(byId('report').textContent);
const all = [];
for (const part of document.querySelectorAll('script.findings')) {
  for (const [${FINDING_FIELDS.join(', ')}] of JSON.parse(part.textContent)) {
    all.push({ at: all.length, ${FINDING_FIELDS.join(', ')} });
  }
  part.remove();
}
// The sources of each finding as a line of JSON. The line is parsed when the reader opens the finding.
const sourceLines = [];
for (const part of document.querySelectorAll('script.sources')) {
  for (const line of part.textContent.split('\\n')) sourceLines.push(line);
  part.remove();
}
let most = 0;
for (const { impact } of all) if (impact > most) most = impact;
const levelOf = (impact) => (impact >= most / 10 ? 'high' : impact >= most / 100 ? 'middle' : 'low');
const sourcesOf = ({ at }) => (at < sourceLines.length ? JSON.parse(sourceLines[at]) : []);

const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== undefined && child !== ''));
  return made;
};
const address = (url) => {
  const text = element('bdi', { dir: 'ltr' }, url);
  return /^https?:[/][/][^/]/i.test(url) ? element('a', { href: url, rel: 'nofollow noreferrer noopener' }, text) : text;
};
const fills = new WeakMap();
/** Makes the content of a fold when it is first opened. */
const fold = (details, fill) => {
  let isFilled = false;
  const onToggle = () => {
    if (!details.open || isFilled) return;
    isFilled = true;
    fill(details);
  };
  details.addEventListener('toggle', onToggle);
  fills.set(details, onToggle);
  return onToggle;
};

/** The host and the first folder of a URL. */
const sectionOf = (url) => {
  const [, host, folder = '/'] = /^https?:[/][/]([^/?#]*)([/][^/?#]*[/])?/i.exec(url) ?? [];
  return host === undefined ? 'other' : host + folder;
};

const drawSources = (finding) => {
  if (finding.total === 0) return undefined;
  const details = element('details', { class: 'sources' }, element('summary', {}, quantity(finding.total, 'source')));
  fold(details, () => {
    const shown = sourcesOf(finding);
    const list = element('ul', {});
    for (const [url, anchor, kind, line] of shown) {
      const place = ' (' + kind + (line > 0 ? ', line ' + line : '') + ')';
      list.append(element('li', {}, address(url), place, anchor === '' ? '' : element('span', {}, ' ', element('bdi', {}, anchor))));
    }
    const more = finding.total - shown.length;
    if (more > 0) list.append(element('li', { class: 'quiet' }, (shown.length === 0 ? '' : 'and ') + numbers.format(more) + (shown.length === 0 ? ' that this page does not hold' : ' more')));
    details.append(list);
  });
  return details;
};
const drawFinding = (finding) => {
  const { url, message, state, isNew, impact, since, lastOkAt, lastRequestAt, evidence } = finding;
  const meta = element('p', { class: 'meta' });
  const tell = (text, name = 'span') => meta.append(element(name, {}, text));
  if (isNew !== '') tell(isNew === 'target' ? 'new: it broke' : 'new: the link was added', 'strong');
  if (state === 'unverified') tell('not verified', 'strong');
  if (state === 'inconclusive') tell('inconclusive', 'strong');
  tell('impact ' + levelOf(impact));
  if (since !== '') tell('since ' + since);
  if (lastOkAt !== '') tell('last worked ' + lastOkAt);
  if (lastRequestAt !== '') tell('last requested ' + lastRequestAt);
  return element('li', {},
    address(url),
    element('p', { class: 'message' }, message),
    meta,
    evidence === '' ? undefined : element('p', { class: 'proof' }, evidence),
    drawSources(finding),
  );
};
/** Draws findings, one window of them at a time. */
const drawWindows = (findings) => {
  const list = element('ol', { class: 'findings' });
  const box = element('div', {}, list);
  let from = 0;
  const previous = element('button', { type: 'button' }, 'Previous');
  const next = element('button', { type: 'button' }, 'Next');
  const place = element('span', {});
  const draw = () => {
    list.replaceChildren(...findings.slice(from, from + WINDOW).map(drawFinding));
    place.textContent = numbers.format(from + 1) + ' to ' + numbers.format(Math.min(from + WINDOW, findings.length)) + ' of ' + numbers.format(findings.length);
    previous.disabled = from === 0;
    next.disabled = from + WINDOW >= findings.length;
  };
  const turn = (by) => {
    from += by;
    draw();
    box.scrollIntoView({ block: 'nearest' });
  };
  previous.addEventListener('click', () => turn(-WINDOW));
  next.addEventListener('click', () => turn(WINDOW));
  draw();
  if (findings.length > WINDOW) box.append(element('div', { class: 'turn' }, previous, next, place));
  return box;
};
const drawSections = (findings, isOpen) => {
  const sections = new Map();
  for (const finding of findings) {
    const name = sectionOf(finding.url);
    if (!sections.has(name)) sections.set(name, []);
    sections.get(name).push(finding);
  }
  if (sections.size === 1) return [drawWindows(findings)];
  return [...sections].map(([name, inside]) => {
    const details = element('details', { class: 'section' },
      element('summary', {}, element('bdi', { dir: 'ltr' }, name), element('span', { class: 'number' }, numbers.format(inside.length))));
    const fill = fold(details, () => details.append(drawWindows(inside)));
    if (isOpen) { details.open = true; fill(); }
    return details;
  });
};
const drawRule = (rule, findings, isOpen) => {
  const { severity } = findings[0];
  const details = element('details', { class: 'rule' },
    element('summary', {},
      element('span', { class: 'badge', 'data-severity': severity }, LABELS[severity]),
      element('h2', {}, rule.title + ' ', element('code', {}, rule.id)),
      element('span', { class: 'number' }, numbers.format(findings.length))));
  const fill = fold(details, () => {
    const inside = element('div', { class: 'inside' });
    if (rule.help !== '') inside.append(element('p', { class: 'help' }, rule.help));
    inside.append(...drawSections(findings, isOpen));
    details.append(inside);
  });
  if (isOpen) { details.open = true; fill(); }
  return details;
};

const lowered = [];
const matches = (finding, text) => {
  const { at, url, message } = finding;
  lowered[at] ??= (rules[finding.rule].id + ' ' + url + ' ' + message).toLowerCase();
  return lowered[at].includes(text) || (at < sourceLines.length && sourceLines[at].toLowerCase().includes(text));
};
const show = () => {
  const text = byId('text').value.trim().toLowerCase();
  const [severity, group, state] = ['severity', 'group', 'state'].map((id) => byId(id).value);
  const found = all.filter((finding) =>
    (severity === '' || finding.severity === severity) &&
    (group === '' || rules[finding.rule].group === group) &&
    (state === '' || (state === 'new' ? finding.isNew !== '' : (finding.state === 'open') === (state === 'open'))) &&
    (text === '' || matches(finding, text)));
  const byRule = new Map();
  for (const finding of found) {
    if (!byRule.has(finding.rule)) byRule.set(finding.rule, []);
    byRule.get(finding.rule).push(finding);
  }
  const isOpen = found.length <= MAX_OPEN;
  byId('rules').replaceChildren(...[...byRule].map(([index, findings]) => drawRule(rules[index], findings, isOpen)));
  const of = found.length === all.length ? '' : ' of ' + numbers.format(all.length);
  const what = numbers.format(found.length) + of + (all.length === 1 ? ' finding' : ' findings');
  byId('count').textContent = all.length === 0 ? (pages > 0 ? 'No fault was found in the pages of this audit.' : 'Nothing was audited.') : what + ', by ' + quantity(byRule.size, 'rule');
};

for (const group of [...new Set(rules.map((rule) => rule.group))].sort()) byId('group').append(element('option', { value: group }, group));
if (beside !== '' && all.length > 0) {
  const note = element('p', { class: 'quiet' });
  if (beside === null) note.append('This page does not hold the sources of its findings.');
  else note.append('The sources of the findings are in ', element('a', { href: './' + encodeURIComponent(beside) }, beside), ', beside this page.');
  byId('count').after(note);
}
/** Paper has nothing to click, so all folds are open while the page is printed. */
let opened = [];
addEventListener('beforeprint', () => {
  for (let closed; (closed = [...document.querySelectorAll('details:not([open])')]).length > 0;) {
    opened.push(...closed);
    for (const details of closed) { details.open = true; fills.get(details)?.(); }
  }
});
addEventListener('afterprint', () => {
  for (const details of opened) details.open = false;
  opened = [];
});
let timer;
byId('text').addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(show, 150);
});
for (const id of ['severity', 'group', 'state']) byId(id).addEventListener('change', show);
byId('filter').addEventListener('submit', (event) => event.preventDefault());
show();
})();
`;
