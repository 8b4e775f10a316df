// Makes docs/REFERENCE.md, the page of fields, statuses, codes, counters and JSON shapes, from the source: from tables with a meaning for
// each entry, and from the types of the product with their comments.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** JSON outputs and their types: title, note, file, names of types. */
const SHAPES = [
  [
    'Pages',
    'Of `readdb --url`, and a line of `readdb --dump`: the fields above, with these. A body (`content`) is base64.',
    'webtable/pages/page.ts',
    ['ProtocolStatus', 'ParseStatus', 'Outlink', 'Inlink'],
  ],
  ['Numbers of a table', '`readdb --stats --json`.', 'packages/answers/readdb.ts', ['TableStats']],
  ['Batches', 'In the numbers of a table.', 'webtable/batches/batch-headers.ts', ['BatchState', 'BatchHeader']],
  [
    'Reports of jobs',
    'Every job with `--json`; and what `onProgress` is called with.',
    'packages/jobs/reporting/job.ts',
    ['Report', 'Progress'],
  ],
  [
    'Explanations',
    '`explain --json`.',
    'packages/answers/explain/explain.ts',
    ['Explanation', 'ExplainedPage', 'ExplainedMark'],
  ],
  ['', '', 'packages/answers/explain/explain-next.ts', ['NextStep']],
  ['', '', 'packages/answers/explain/explain-robots.ts', ['RobotsExplanation']],
  ['', '', 'webtable/tables/hosts.ts', ['BackoffRecord']],
  ['', '', 'packages/plugin-api/url-trace.ts', ['UrlStep']],
  ['Hosts', '`hosts --json`, a line for each.', 'packages/hosts/figures.ts', ['HostFigures', 'HostRobots']],
  ['', '', 'packages/hosts/delay.ts', ['DelayInForce']],
  ['', '`explain --host <host> --json`.', 'packages/hosts/explain-host.ts', ['HostExplanation']],
  ['Plans', '`plan --json`.', 'packages/hosts/plan/planned.ts', ['CrawlPlan', 'PlannedRound', 'PlannedQueue']],
  [
    'Checks',
    '`check url --json`, `check robots --json`, `check parse --json`.',
    'packages/answers/check-url.ts',
    ['UrlCheck'],
  ],
  ['', '', 'packages/answers/check-robots.ts', ['RobotsCheck']],
  ['', '', 'packages/answers/check-parse.ts', ['ParseCheck', 'CheckedLink']],
];

/** Objects with a `code` that is not the result of a page: system errors that are made or compared. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]*$/;
const CODE_FOLDERS = ['packages/fetch', 'packages/parse', 'packages/jobs', 'packages/answers', 'packages/plugins'];

/**
 * The page.
 * @param tables PROTOCOL_CODES, PARSE_CODES and COUNTERS, each name with its meaning; INTERNAL_FIELDS, the names of fields
 * @param root the folder of the project
 * @throws Error that names every code or field without a meaning in the source
 */
export function referenceMarkdown({ PROTOCOL_CODES, PARSE_CODES, COUNTERS, INTERNAL_FIELDS }, root) {
  // A page that no thread could parse is parsed in the main thread, so this code is never stored.
  const faults = undescribedCodes(
    root,
    new Set([...Object.keys(PROTOCOL_CODES), ...Object.keys(PARSE_CODES), 'no_thread']),
  );
  const described = (what, entries) => {
    for (const { name, text } of entries) if (!text) faults.push(`${what} \`${name}\` has no comment`);
    return entries;
  };
  const schema = parse(root, 'webtable/schema.ts');
  const page = described(
    'webtable/pages/page.ts: field',
    members(parse(root, 'webtable/pages/page.ts'), 'Page').map(({ text, ...field }) => {
      const [, meaning = '', writer = ''] = /^(.*?)\s*(?:\[([^\]]*)\])?$/s.exec(text) ?? [];
      return { ...field, text: meaning, writer };
    }),
  );
  const statuses = described('webtable/schema.ts: status', members(schema, 'STATUS_CODES'));
  const marks = described('webtable/schema.ts: mark', members(schema, 'MARK_COLUMNS'));
  const lines = [
    '# Reference',
    '',
    'Written by `npm run docs` from the source; a test fails when the two differ. Settings are in [SETTINGS.md](SETTINGS.md),',
    'exit statuses and error codes in the [COMMANDS.md](COMMANDS.md#exit-codes).',
    '',
    'All times are milliseconds since the epoch, in UTC; intervals are seconds. Whatever comes from the network is',
    'untrusted text. A field that is not known is absent.',
    '',
    '## Fields of a page',
    '',
    '`readdb --fields`, `crawl.page` and `crawl.pages` use the names of the table below. Before these fields, a printed page has',
    '`key`, `url` and, if it differs from `url`, `readableUrl`, the URL as people read it, which is only for display. After them it',
    'has `damaged`, with the names of the fields that could not be read.',
    '',
    ...fields(page.filter(({ name }) => !INTERNAL_FIELDS.includes(name))),
    '',
    'Only the crawler itself uses these fields of a row. No command shows them, and a version may change them.',
    '',
    ...fields(page.filter(({ name }) => INTERNAL_FIELDS.includes(name))),
    '',
    '## Statuses',
    '',
    ...table(
      ['status', 'code', 'meaning'],
      statuses.map(({ name, value, text }) => [`\`${name}\``, value, text]),
    ),
    '',
    '## Marks',
    '',
    'Each holds the id of a batch.',
    '',
    ...table(
      ['mark', 'meaning'],
      marks.map(({ name, text }) => [`\`${name}\``, text]),
    ),
    '',
    '## Protocol codes',
    '',
    'How the last fetch of a page ended: `protocolStatus.code`, `readdb --code`, and a counter of fetch. The protocol of a',
    'plugin may have others; where it throws, or answers what is no outcome, the code is `plugin_error_<name>`.',
    '',
    ...meanings('code', PROTOCOL_CODES),
    '',
    '## Parse codes',
    '',
    'How the last parse of a page ended: `parseStatus.code`, and `failed_<code>` as a counter. The parser of a plugin may have',
    'others; where it throws, the code is `plugin_error_<name>`.',
    '',
    ...meanings('code', PARSE_CODES),
    '',
    '## Counters',
    '',
    'What a report counts, in `counters`; those that are 0 are left out. `<plugin>` is the name of a plugin.',
  ];
  const notes = {
    fetch: 'Each page is counted by its protocol code, too; and with `--parse` there are the counters of parse.',
    crawl:
      'With those of inject and fetch, and `added`, `not_added`, `sooner` and `plugin_error_<plugin>` of updatedb.',
  };
  for (const [job, counters] of Object.entries(COUNTERS)) {
    lines.push('', `### ${job}`, '', ...(notes[job] ? [notes[job], ''] : []), ...meanings('counter', counters));
  }
  lines.push('', '## JSON', '', 'The JSON that commands print has these types. The library returns the same types.');
  for (const [title, note, file, names] of SHAPES) {
    if (title) lines.push('', `### ${title}`, '', note);
    const source = parse(root, file);
    for (const name of names) lines.push('', '```ts', declaration(source, name), '```');
  }
  if (faults.length > 0) throw new Error(`docs/REFERENCE.md cannot be written:\n- ${faults.join('\n- ')}`);
  return `${lines.join('\n')}\n`;
}

/** Result codes in the source that no table describes, each as a message. */
function undescribedCodes(root, known) {
  const faults = [];
  for (const folder of CODE_FOLDERS) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const path = `${folder}/${name.replaceAll('\\', '/')}`;
      const source = parse(root, path);
      const walk = (node) => {
        if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'code') {
          for (const code of literals(node.initializer)) {
            if (known.has(code) || SYSTEM_CODE.test(code)) continue;
            const { line } = source.getLineAndCharacterOfPosition(node.pos);
            faults.push(`${path}:${line + 1}: code \`${code}\` is not in packages/plugin-api/outcome-codes.ts`);
          }
        }
        ts.forEachChild(node, walk);
      };
      walk(source);
    }
  }
  return faults;
}

/** The literal texts that an expression may have. */
function literals(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...literals(node.whenTrue), ...literals(node.whenFalse)];
  return [];
}

function parse(root, path) {
  return ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The statement that declares a name. */
function find(source, name) {
  const found = source.statements.find((statement) =>
    ts.isVariableStatement(statement)
      ? statement.declarationList.declarations[0].name.getText(source) === name
      : statement.name?.getText(source) === name,
  );
  if (!found) throw new Error(`docs/REFERENCE.md cannot be written: ${source.fileName} has no ${name}`);
  return found;
}

/** The members of an interface, or of an object that a constant holds. */
function members(source, name) {
  const statement = find(source, name);
  if (ts.isInterfaceDeclaration(statement)) {
    return statement.members.map((member) => ({
      name: member.name.getText(source),
      type: oneLine(member.type.getText(source)),
      text: comment(source, member),
    }));
  }
  let value = statement.declarationList.declarations[0].initializer;
  while (ts.isAsExpression(value) || ts.isSatisfiesExpression(value)) value = value.expression;
  return value.properties.map((property) => ({
    name: property.name.getText(source),
    value: property.initializer.getText(source),
    text: comment(source, property),
  }));
}

function comment(source, node) {
  const [doc] = ts.getJSDocCommentsAndTags(node);
  return doc ? oneLine(ts.getTextOfJSDocComment(doc.comment) ?? '').replace(/\{@link ([^}]*)\}/g, '`$1`') : '';
}

/** A type as it is written, without `export`. */
function declaration(source, name) {
  const statement = find(source, name);
  return source.text.slice(statement.getStart(source, true), statement.end).replace(/^export /m, '');
}

const fields = (all) =>
  table(
    ['field', 'type', 'meaning', 'written by'],
    all.map(({ name, type, text, writer }) => [`\`${name}\``, `\`${type}\``, text, writer]),
  );
const oneLine = (text) => text.replace(/\s+/g, ' ').trim();
const meanings = (head, entries) =>
  table(
    [head, 'meaning'],
    Object.entries(entries).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );

const RULES_BEGIN = '<!-- The rules: written by npm run docs. -->';
const RULES_END = '<!-- The end of the rules. -->';

/**
 * The page of the audit with the table of its rules.
 * @param text the page; what is between the two marks is replaced
 * @throws Error where a mark is missing
 */
export function withAuditRules(text, rules) {
  const [before, rest] = text.split(RULES_BEGIN);
  const after = rest?.split(RULES_END)[1];
  if (after === undefined) throw new Error(`docs/AUDIT.md: expected ${RULES_BEGIN} and ${RULES_END}`);
  const rows = rules.map(({ id, group, severity, title, help }) => [`\`${id}\``, group, severity, title, help]);
  const lines = aligned([
    ['rule', 'group', 'severity', 'finds', 'how to fix it'],
    ...rows.map((row) => row.map(inCell)),
  ]);
  return `${before}${RULES_BEGIN}\n\n${lines.join('\n')}\n\n${RULES_END}${after}`;
}

/** Text in a cell, in which nothing is markup of HTML. */
function inCell(text) {
  return text.replaceAll('|', '\\|').replace(/<[^>]*>/g, '`$&`');
}

/** A table as the formatter leaves it: columns of one width. */
function aligned([head, ...rows]) {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((row) => row[i].length)));
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
