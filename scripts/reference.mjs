// The page of fields, statuses, codes, counters and JSON shapes, docs/REFERENCE.md, from the source: tables with a meaning
// for each entry, and the types of the product with their comments.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** What is printed as JSON, and the type it has: title, note, file, names of types. */
const SHAPES = [
  [
    'Pages',
    'Of `readdb --url`, and a line of `readdb --dump`: the fields above, with these. A body (`content`) is base64.',
    'webtable/pages/page.ts',
    ['ProtocolStatus', 'ParseStatus', 'Outlink', 'Inlink'],
  ],
  ['Numbers of a table', '`readdb --stats --json`.', 'packages/jobs/readdb.ts', ['TableStats']],
  ['Batches', 'In the numbers of a table.', 'webtable/batches/batches.ts', ['BatchState', 'BatchHeader']],
  [
    'Reports of jobs',
    'Every job with `--json`; and what `onProgress` is called with.',
    'packages/jobs/reporting/job.ts',
    ['Report', 'Progress'],
  ],
  ['Explanations', '`explain --json`.', 'packages/jobs/explain.ts', ['Explanation', 'ExplainedPage', 'ExplainedMark']],
  ['', '', 'packages/jobs/answers/explain-next.ts', ['NextStep']],
  ['', '', 'packages/jobs/answers/explain-robots.ts', ['RobotsExplanation']],
  ['', '', 'webtable/tables/hosts.ts', ['BackoffRecord']],
  ['', '', 'packages/plugin-api/url-trace.ts', ['UrlStep']],
  [
    'Checks',
    '`check url --json`, `check robots --json`, `check parse --json`.',
    'packages/jobs/check-url.ts',
    ['UrlCheck'],
  ],
  ['', '', 'packages/jobs/answers/check-robots.ts', ['RobotsCheck']],
  ['', '', 'packages/jobs/answers/check-parse.ts', ['ParseCheck', 'CheckedLink']],
];

/** Objects with a `code` of something else than the outcome of a page: system errors that are made or compared. */
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]*$/;
const CODE_FOLDERS = ['packages/fetch', 'packages/parse', 'packages/jobs', 'packages/plugins'];

/**
 * The page.
 * @param tables PROTOCOL_CODES, PARSE_CODES and COUNTERS, each name with its meaning
 * @param root the folder of the project
 * @throws Error naming every code or field that has no meaning in the source
 */
export function referenceMarkdown({ PROTOCOL_CODES, PARSE_CODES, COUNTERS }, root) {
  // A page that no thread could take is parsed in the main thread, so this code is never stored.
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
    'exit statuses and error codes in the [README](../README.md#exit-codes).',
    '',
    'All times are milliseconds since the epoch, in UTC, unless a name says seconds. Whatever comes from the network is',
    'untrusted text. A field that is not known is absent.',
    '',
    '## Fields of a page',
    '',
    'By these names in `readdb --fields`, `crawl.page` and `crawl.pages`. Printed pages have `key`, `url` and, where it differs,',
    '`readableUrl` (the URL as people read it, for the eye alone) before them, and after them `damaged`, which names fields',
    'that could not be read.',
    '',
    ...table(
      ['field', 'type', 'meaning', 'written by'],
      page.map(({ name, type, text, writer }) => [`\`${name}\``, `\`${type}\``, text, writer]),
    ),
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
  lines.push('', '## JSON', '', 'What is printed as JSON has these types; `crawl` and the library return the same.');
  for (const [title, note, file, names] of SHAPES) {
    if (title) lines.push('', `### ${title}`, '', note);
    const source = parse(root, file);
    for (const name of names) lines.push('', '```ts', declaration(source, name), '```');
  }
  if (faults.length > 0) throw new Error(`docs/REFERENCE.md cannot be written:\n- ${faults.join('\n- ')}`);
  return `${lines.join('\n')}\n`;
}

/** Codes of outcomes in the source that no table describes, each as a message. */
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

/** The texts that an expression may have as it stands. */
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

const oneLine = (text) => text.replace(/\s+/g, ' ').trim();
const meanings = (head, entries) =>
  table(
    [head, 'meaning'],
    Object.entries(entries).map(([name, meaning]) => [`\`${name}\``, meaning]),
  );

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}
