/** Runs the commands of docs/EXPORT.md and docs/GRAPH.md that make exports and read them in other programs, as they are printed. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { jobs, openContext } from '../../../packages/webcrawl/internal.js';
import { requireCommand } from '../../support/command-process.js';
import { ROOT } from '../../support/docs/source-files.js';
import { fakeWeb, type FakePage } from '../../support/web/fake-web.js';
import { hasPython, PYTHON_PACKAGES } from './python.js';
import { suiteFolder } from '../../support/files/temp-folder.js';

const EXPORT = readFileSync(join(ROOT, 'docs/EXPORT.md'), 'utf8');
const GRAPH = readFileSync(join(ROOT, 'docs/GRAPH.md'), 'utf8');
/** `duckdb -c`, by its package for Python. Prints only the last result. */
const DUCKDB = `import sys, duckdb
assert sys.argv[1] == '-c', sys.argv
duckdb.sql(sys.argv[2]).show(max_width=100000)
`;
const HOSTS = ['example.com', 'docs.example.com', 'www.example.com', 'a.example.org'];

const folder = suiteFolder();
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  requireCommand();
  await program('webcrawl', `exec '${process.execPath}' '${join(ROOT, 'dist/bin/webcrawl.js')}' "$@"`);
  await program('npm', 'true');
  await writeFile(join(folder, 'run-duckdb.py'), DUCKDB);
  await program('duckdb', `exec python3 '${join(folder, 'run-duckdb.py')}' "$@"`);
  for (const name of ['warcio', 'wacz']) {
    await program(name, `exec python3 '${join(PYTHON_PACKAGES, 'bin', name)}' "$@"`);
  }
  const { WEBCRAWL_TABLE: _, ...env } = process.env;
  environment = {
    ...env,
    PATH: `${join(folder, 'bin')}${delimiter}${env['PATH']}`,
    PYTHONPATH: PYTHON_PACKAGES,
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONIOENCODING: 'utf-8',
  };
  await fillTable(join(folder, 'webcrawl-data'));
});

async function program(name: string, script: string): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, 'bin', name), 0o755);
}

/** Crawls a small web of the hosts that the documents name. */
async function fillTable(directory: string): Promise<void> {
  const links = HOSTS.flatMap((host) => [`https://${host}/`, `https://${host}/a`]).map(
    (url) => `<a href="${url}">to ${url}</a>`,
  );
  const page = (title: string): FakePage => ({
    contentType: 'text/html',
    headers: { 'content-type': 'text/html' },
    html: `<title>${title}</title><main><h1>${title}</h1><p>The gauge says how high the tide is.</p>${links.join(' ')}</main>`,
  });
  const web = fakeWeb(
    Object.fromEntries(
      HOSTS.flatMap((host) => [
        [`https://${host}/`, page(`Home of ${host}`)],
        [`https://${host}/a`, page(`Tides of ${host}`)],
      ]),
    ),
  );
  await using crawl = await openContext({
    table: `level:${directory}`,
    settings: { 'fetcher.serverDelay': 0 },
    plugins: [web],
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  await jobs.crawl(crawl, { seeds: HOSTS.map((host) => `https://${host}/`), stay: 'any' });
}

/** The shell lines in the section of a document with a heading. */
function shellLines(page: string, heading: string): string[] {
  const at = page.indexOf(`\n${heading}\n`);
  expect(at, heading).toBeGreaterThanOrEqual(0);
  const end = page.slice(at + heading.length + 2).search(/^#{2,3} /m);
  const part = end === -1 ? page.slice(at) : page.slice(at, at + heading.length + 2 + end);
  return [...part.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, lines = '']) => lines.trimEnd().split('\n'));
}

/** Whether the programs of a line are installed. */
function canRun(line: string): boolean {
  const [, first = ''] = /^(?:gunzip -c \S+ \| |.*\| )?(\w+)/.exec(line)!;
  if (first === 'duckdb' || first === 'wacz' || first === 'warcio') return hasPython(first);
  if (first === 'python3') return [...line.matchAll(/import (\w+)/g)].every(([, module = '']) => hasPython(module));
  return ['webcrawl', 'npm'].includes(first) || spawnSync('sh', ['-c', `command -v ${first}`]).status === 0;
}

/** Runs a line in the folder, and returns what it printed. */
function run(line: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-c', line], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  expect(status, `${line}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

/** The expected output of some of the lines. */
const PRINTED: readonly (readonly [RegExp, RegExp])[] = [
  [/epoch_ms\(fetchedAt\)/, /TIMESTAMP[^]*Tides of example\.com[^]*20\d\d-\d\d-\d\d /i],
  [/outlinks::json/, /https:\/\/example\.com\//],
  [/json_array_length/, /int64[^]*TIMESTAMP|TIMESTAMP[^]*int64/i],
  [/read_schema/, /fetchedAt: timestamp\[ms, tz=UTC\]/],
  [/jq -r '\.outlinks/, /^https:\/\/docs\.example\.com\/a$/m],
  [/openpyxl\.load_workbook/, /^\('url', 'status', 'title', 'fetchedAt', 'distance'\)$/m],
  [/\['source'\]/, /^https:\/\/\S+ https:\/\/\S+$/m],
  [/csv\.DictReader\(open\('pages/, /^(Home|Tides) of \S+$/m],
  [/by-host\/\*\*/, /com\/ex\/example\/ww\/www\.example\.com\.jsonl[^\n]*2/],
  [/find by-host/, /"title":"Home of www\.example\.com"/],
  [/pandas\.read_json\('pages/, /\d{4}-\d\d-\d\d \d\d:/],
  [/read_parquet\('pages\/part/, /Home of example\.com/],
  [/warcio extract/, /^WARC-Type: warcinfo/m],
  [/unzip -p/, /"url": ?"https:\/\/example\.com\//],
  [/jq -r \.markdown/, /^# Tides of docs\.example\.com$/m],
];

function check(line: string, output: string): void {
  for (const [of, expected] of PRINTED) if (of.test(line)) expect(output, line).toMatch(expected);
}

describe.each([
  '### JSON Lines',
  '### CSV',
  '### Excel',
  '### A line for each link',
  '### Parquet',
  '### Files by host',
  '### WARC and CDXJ',
  '### WACZ',
  '## For language models',
])('docs/EXPORT.md, %s', (heading) => {
  const lines = shellLines(EXPORT, heading);
  test('has an export, and a program that reads it', () => {
    expect(lines.some((line) => line.startsWith('webcrawl export '))).toBe(true);
    expect(lines.length).toBeGreaterThan(1);
  });
  for (const line of lines) test.skipIf(!canRun(line))(line, () => check(line, run(line)));
});

describe('docs/EXPORT.md, the commands that read chunks', () => {
  const [paragraph = ''] = /^In pandas: .*$/m.exec(EXPORT) ?? [];
  const inline = [...paragraph.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  test('are two', () => expect(inline).toHaveLength(2));
  test.skipIf(!hasPython('pandas'))('pandas reads chunks', () => {
    expect(run(`python3 -c "import pandas; print(${inline[0]}['text'].to_list())"`)).toContain('The gauge says');
  });
  test.skipIf(!hasPython('duckdb'))('duckdb reads chunks', () => {
    expect(run(`duckdb -c "${inline[1]}"`)).toContain('Tides of docs.example.com');
  });
});

describe('docs/GRAPH.md', () => {
  const block = (language: string): string => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(GRAPH)![1]!;
  test.each(shellLines(`\n${GRAPH}`, '# The graph of links, and PageRank'))('%s', (line) => {
    run(line);
  });
  test('makes ranks that a reader of CSV finds', () => {
    expect(readFileSync(join(folder, 'ranks.csv'), 'utf8')).toMatch(
      /^key,url,.*,rank,hostRank,damaged\r\n.*,0\.\d+,0\.25,\r\n/,
    );
    expect(existsSync(join(folder, 'hosts.svg'))).toBe(true);
  });
  test.skipIf(!hasPython('igraph'))('igraph reads hosts', async () => {
    await writeFile(join(folder, 'read-igraph.py'), `${block('python')}print(graph.vcount(), graph.ecount(), keys)\n`);
    expect(run('python3 read-igraph.py')).toBe(
      "4 12 ['com.example', 'com.example.docs', 'com.example.www', 'org.example.a']\n",
    );
  });
  test.skipIf(!hasPython('networkx'))('networkx reads hosts', () => {
    const [made, graphml, edgelist] = [
      ...GRAPH.matchAll(/`((?:webcrawl graph -o hosts\.graphml|networkx\.read)[^`]+)`/g),
    ]
      .map(([, code = '']) => code.replaceAll('\n', ' '))
      .sort((a, b) => Number(b.startsWith('webcrawl')) - Number(a.startsWith('webcrawl')));
    run(made!);
    for (const code of [graphml!, edgelist!]) {
      expect(run(`python3 -c "import networkx; graph = ${code}; print(len(graph), graph.number_of_edges())"`)).toBe(
        '4 12\n',
      );
    }
  });
  test.skipIf(!hasPython('duckdb'))('duckdb reads pages', () => {
    expect(run(`duckdb -c "${block('sql')}"`)).toContain('https://docs.example.com/a');
  });
  const dot = /`(webcrawl graph [^`]*\| dot [^`]*)`/.exec(GRAPH)![1]!;
  test.skipIf(!canRun(dot))(dot, () => {
    run(dot);
    expect(readFileSync(join(folder, 'domains.pdf'), 'latin1')).toMatch(/^%PDF/);
  });
});
