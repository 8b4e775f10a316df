import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { COUNTERS } from '../packages/webcrawl/internal.js';
import { ROOT } from './support/docs/source-files.js';

const execute = promisify(execFile);
const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** The report of npm on the package that it made. */
interface Packed {
  readonly filename: string;
  /** Compressed, in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** The compiler options of a strict consumer. */
const STRICT = {
  target: 'ES2022',
  lib: ['ES2023', 'ESNext.Disposable'],
  module: 'NodeNext',
  strict: true,
  exactOptionalPropertyTypes: true,
  types: ['node'],
};

let folder: string;
let tarball: string;
let packed: Packed;
let server: Server;
let url: string;

/** Runs a command in the folder where the package is installed, without the settings of this process. */
async function inFolder(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await execute(command, args, { cwd: folder });
  return stdout;
}

/** The folder of the installed package. */
const installed = (): string => join(folder, 'node_modules/webcrawl');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-package-'));
  // dist is up to date: the script that runs this test builds first.
  const { stdout } = await execute(NPM, ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  [packed] = JSON.parse(stdout) as [Packed];
  tarball = packed.filename;
  await writeFile(join(folder, 'package.json'), '{"name": "consumer", "private": true, "type": "module"}');
  // No scripts of packages run, so nothing is compiled or downloaded.
  const install = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', `./${tarball}`];
  await execute(NPM, install, { cwd: folder });

  server = createServer((request, response) => {
    const pages = new Map([
      ['/', '<title>Home</title><a href="/a">A</a>'],
      ['/a', '<title>A</title><a href="/">Home</a><a href="/missing">gone</a>'],
    ]);
    const page = pages.get(request.url ?? '');
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});

afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
});

test('the package contains the product and nothing else', async () => {
  const top = (await readdir(installed())).sort();
  const documents = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md'];
  expect(top).toEqual([...documents, 'bench', 'config', 'dist', 'docs', 'package.json']);
  expect((await readdir(join(installed(), 'dist'))).sort()).toEqual(['bin', 'packages', 'types.d.ts', 'webtable']);
  const files = (await readdir(installed(), { recursive: true })).map(String);
  expect(files.filter((name) => name.endsWith('.map'))).toEqual([]);
  const config = await readdir(join(installed(), 'dist/bin'));
  expect(config).toEqual(
    expect.arrayContaining(['regex-urlfilter.txt', 'regex-normalize.txt', 'webcrawl.sample.json']),
  );
});

test('it is small: one copy of the code, and a file of types for each export', () => {
  expect(packed.size).toBeLessThan(1.2e6);
  const paths = packed.files.map(({ path }) => path);
  expect(paths.filter((path) => /^dist\/(?!bin\/).*\.js$/.test(path))).toEqual([]);
  const exported = Object.values(packageJson.exports).flatMap((entry) =>
    typeof entry === 'string' ? [] : entry.types,
  );
  const types = paths.filter((path) => path.endsWith('.d.ts')).map((path) => `./${path}`);
  expect(types.sort()).toEqual([...exported, './dist/types.d.ts'].sort());
});

test('the package has the files that its documents link to', async () => {
  const names = (await readdir(installed(), { recursive: true })).map(String);
  const documents = names.filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
  expect(documents).toContain('README.md');
  const broken: string[] = [];
  for (const document of documents) {
    const text = await readFile(join(installed(), document), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    broken.push(
      ...local
        .filter((link) => !existsSync(join(installed(), dirname(document), link)))
        .map((link) => `${document}: ${link}`),
    );
  }
  expect(broken).toEqual([]);
});

test('the command runs', async () => {
  expect(await inFolder('npx', ['webcrawl', '--help'])).toContain('Usage: webcrawl');
  expect(await inFolder('npx', ['webcrawl', 'config'])).toContain('fetcher.serverDelay');
  const crawl = await inFolder('npx', ['webcrawl', 'crawl', url, '--json', '--set', 'fetcher.serverDelay=0']);
  expect(JSON.parse(crawl)).toMatchObject({ job: 'crawl' });
  const dump = await inFolder('npx', ['webcrawl', 'readdb', '--dump', '--fields', 'status,title']);
  const pages = dump
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; status: string; title?: string });
  expect(pages.map(({ url: page, status, title }) => [page.replace(url, '/'), status, title])).toEqual([
    ['/', 'fetched', 'Home'],
    ['/a', 'fetched', 'A'],
    ['/missing', 'gone', undefined],
  ]);
});

test('the library is imported and crawls', async () => {
  await writeFile(
    join(folder, 'crawl.js'),
    `import { openCrawl } from 'webcrawl';
    const crawl = await openCrawl({ table: 'level:./library-data', settings: { 'fetcher.serverDelay': 0 } });
    await crawl.run({ seeds: [process.argv[2]] });
    const pages = [];
    for await (const page of crawl.pages({ fields: ['status', 'title'] })) pages.push([page.status, page.title]);
    await crawl.close();
    console.log(JSON.stringify(pages));`,
  );
  expect(JSON.parse(await inFolder(process.execPath, ['crawl.js', url]))).toEqual([
    ['fetched', 'Home'],
    ['fetched', 'A'],
    ['gone', null],
  ]);
});

test('parts of the library can be imported by their own names', async () => {
  const parts = {
    cluster: 'createTable',
    export: 'openKrake',
    graph: 'pageRank',
    plugins: 'defaultPlugins',
    rules: 'describeRule',
    search: 'MAX_HITS',
    store: 'MemoryStore',
    testing: 'openTestCrawl',
  };
  const imports = Object.entries(parts).map(([part, name]) => `import { ${name} } from 'webcrawl/${part}';`);
  const names = Object.values(parts);
  await writeFile(
    join(folder, 'parts.js'),
    `${imports.join('\n')}\nconsole.log([${names.join(', ')}].filter(Boolean).length);`,
  );
  expect((await inFolder(process.execPath, ['parts.js'])).trim()).toBe(String(names.length));
});

test('a custom store can be tested with node:test', async () => {
  const examples = await readFile(join(installed(), 'docs/PLUGINS.md'), 'utf8');
  const example = /```js\n(\/\/ my-store\.test\.mjs\n.*?)```/s.exec(examples)?.[1] ?? '';
  await writeFile(join(folder, 'my-store.test.mjs'), example);
  const output = await inFolder(process.execPath, ['--test', '--test-reporter=tap', 'my-store.test.mjs']);
  expect(output).toMatch(/^# fail 0$/m);
  expect(Number(/^# pass (\d+)$/m.exec(output)?.[1])).toBeGreaterThan(100);
}, 120_000);

test('the types of every export serve a strict consumer, and the example of the README compiles and runs', async () => {
  await writeFile(
    join(folder, 'consumer.ts'),
    `import { CrawlError, openCrawl, type Report } from 'webcrawl';
    export async function run(url: string, signal: AbortSignal): Promise<Report> {
      await using crawl = await openCrawl({ table: 'level:./x', settings: { http: { agentName: 'mybot' } } });
      for await (const page of crawl.pages({ host: 'example.com', fields: ['title'] })) {
        const title: string | undefined = page.title;
        // @ts-expect-error: a field that was not asked for
        page.score;
        if (title === undefined) throw new CrawlError('BAD_INPUT', page.key);
      }
      return crawl.run({ seeds: [url], maxPages: 10, signal });
    }`,
  );
  const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
  const example = /```ts\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const here = example.replaceAll('https://example.com/', url).replace("host: 'example.com'", "host: '127.0.0.1'");
  expect(here).not.toBe(example);
  await writeFile(join(folder, 'example.ts'), here);
  const names = Object.keys(packageJson.exports).filter((name) => name !== './package.json');
  const lines = names.map((name, i) => `export * as part${i} from 'webcrawl${name.slice(1)}';`);
  await writeFile(join(folder, 'every-export.ts'), lines.join('\n'));
  expect(await compile('consumer.ts', 'example.ts', 'every-export.ts')).toBe('');
  const output = await inFolder(process.execPath, ['example.js']);
  expect(output).toContain('fetched: 3');
  expect(output).toContain(`${url} Home 1`);
});

test('an editor shows the meaning of every counter, and types and comments of functions', async () => {
  const counters = Object.entries(COUNTERS).flatMap(([job, meanings]) =>
    Object.entries(meanings).flatMap(([name, meaning]) => (name.includes('<') ? [] : [{ job, name, meaning }])),
  );
  const shown = await hover(
    `import type { CountersOfJobs, Crawl } from 'webcrawl'; declare const all: CountersOfJobs, crawl: Crawl;`,
    ['crawl.export.pages', 'crawl.rules.prefixes.read', ...counters.map(({ job, name }) => `all['${job}'].${name}`)],
  );
  const [pages, read, ...meanings] = shown;
  expect(pages).toEqual([
    expect.stringContaining('Promise<Report<"export">>'),
    expect.stringContaining('Exports pages'),
  ]);
  expect(read?.[0]).toContain('read(selection?: PrefixSelection): AsyncGenerator<PrefixNode>');
  expect(meanings.map(([, comment]) => comment)).toEqual(counters.map(({ meaning }) => `${meaning}.`));
});

/** What an editor shows of the last name of each expression: its type, and its comment. */
async function hover(head: string, expressions: readonly string[]): Promise<(readonly [string, string])[]> {
  const file = join(folder, 'hovered.ts');
  await writeFile(file, [head, ...expressions.map((expression) => `${expression};`)].join('\n'));
  const { options } = ts.convertCompilerOptionsFromJson(STRICT, folder);
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = ts.sys.readFile(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  });
  let end = head.length;
  return expressions.map((expression) => {
    end += expression.length + 2;
    const info = service.getQuickInfoAtPosition(file, end - 2);
    return [ts.displayPartsToString(info?.displayParts), ts.displayPartsToString(info?.documentation)];
  });
}

/** Compiles files of the folder as a strict consumer would. Returns the errors of the compiler. */
async function compile(...files: string[]): Promise<string | undefined> {
  const config = { compilerOptions: STRICT, files };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
  // The consumer's @types/node needs undici-types.
  await mkdir(join(folder, 'node_modules/@types'), { recursive: true });
  for (const name of ['@types/node', 'undici-types']) {
    const link = join(folder, 'node_modules', name);
    if (!existsSync(link)) await symlink(join(ROOT, 'node_modules', name), link, 'junction');
  }
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return inFolder(process.execPath, [tsc, '-p', '.']).catch((error: { stdout?: string }) => error.stdout);
}

test('the image of the Dockerfile: its package is installed, its command and its health check run', async () => {
  const dockerfile = (await readFile(join(ROOT, 'Dockerfile'), 'utf8')).replaceAll('\\\n', '');
  const install = dockerfile.split('\n').find((line) => line.startsWith('RUN npm install --global')) ?? '';
  const [, health = ''] = /HEALTHCHECK .*CMD (\[.*\])/.exec(dockerfile) ?? [];
  const image = join(folder, 'image');
  await mkdir(image);
  await copyFile(join(folder, tarball), join(image, tarball));
  const env = {
    ...process.env,
    NPM_CONFIG_PREFIX: image,
    OPTIONAL: 'fflate',
    WEBCRAWL_TABLE: `level:${join(image, 'table')}`,
    PATH: `${join(image, 'bin')}:${process.env['PATH']}`,
  };
  await execute('sh', ['-c', install.slice('RUN '.length).replaceAll('/tmp/*.tgz', join(image, tarball))], { env });
  await execute('webcrawl', ['crawl', url, '--set', 'fetcher.serverDelay=0'], { env });
  await execute('webcrawl', ['export', 'pages', '-o', join(image, 'pages.xlsx')], { env });
  const [command = '', ...args] = JSON.parse(health) as string[];
  expect(JSON.parse((await execute(command, args, { env })).stdout)).toMatchObject({ jobs: [] });
}, 180_000);
