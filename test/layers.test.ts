import { describe, expect, test } from 'vitest';
import ts from 'typescript';
import { parseSource, sourceFiles, visit, type SourceFile } from './support/docs/source-files.js';

/**
 * The core, lowest layer first, with the allowed imports of each; `(types)` means only `import type`. The layers above import
 * it through the door `packages/core`.
 */
const CORE: Readonly<Record<string, readonly string[]>> = {
  'packages/errors': [],
  'packages/util': [],
  'packages/url': ['packages/errors'],
  config: ['packages/url', 'packages/util', 'packages/errors'],
  webtable: ['packages/url', 'packages/util', 'packages/errors'],
  'packages/plugin-api': ['webtable (types)', 'packages/url', 'packages/util', 'packages/errors'],
  'packages/patterns': ['packages/errors'],
  'packages/plugins': ['packages/patterns', 'packages/plugin-api', 'webtable', 'packages/url', 'packages/errors'],
  'packages/fetch': [
    'packages/plugin-api',
    'webtable (types)',
    'packages/url',
    'config (types)',
    'packages/util',
    'packages/errors',
  ],
  'packages/parse': [
    'packages/plugin-api',
    'webtable (types)',
    'packages/url',
    'config (types)',
    'packages/util',
    'packages/errors',
  ],
  // A satellite that the jobs do not import. It imports single parts of the core, because a parse thread loads it.
  'packages/rules': [
    'packages/patterns',
    'packages/plugin-api',
    'webtable',
    'config (types)',
    'packages/url',
    'packages/util',
    'packages/errors',
  ],
  'packages/jobs': [
    'packages/fetch',
    'packages/parse',
    'packages/plugin-api',
    'webtable',
    'config',
    'packages/url',
    'packages/util',
    'packages/errors',
  ],
  'packages/core': [
    'packages/jobs',
    'packages/parse',
    'packages/fetch',
    'packages/plugins',
    'packages/patterns',
    'packages/plugin-api',
    'webtable',
    'config',
    'packages/url',
    'packages/util',
    'packages/errors',
  ],
};

/**
 * The satellites, each with the satellites that it may import. Of the core they may import `packages/core`, and the folders
 * that import nothing, so that code in a thread need not load all of the core.
 */
const SATELLITES: Readonly<Record<string, readonly string[]>> = {
  'packages/hbase': [],
  'packages/answers': [],
  'packages/hosts': [],
  'packages/maintenance': ['packages/answers'],
  'packages/changes': [],
  'packages/watch': ['packages/changes'],
  'packages/scan': [],
  'packages/graph': ['packages/scan'],
  'packages/duplicates': ['packages/scan'],
  'packages/audit': ['packages/duplicates', 'packages/scan', 'packages/export', 'packages/changes'],
  'packages/export': ['packages/scan', 'packages/graph', 'packages/answers'],
  'packages/focus': ['packages/duplicates', 'packages/scan', 'packages/graph', 'packages/rules'],
  'packages/index': ['packages/duplicates'],
  'packages/search': ['packages/index'],
  'packages/serve': [
    'packages/search',
    'packages/focus',
    'packages/answers',
    'packages/rules',
    'packages/changes',
    'packages/export (types)',
  ],
};
const GROUND = ['packages/util', 'packages/errors'];

const LAYERS: Readonly<Record<string, readonly string[]>> = {
  ...CORE,
  ...Object.fromEntries(
    Object.entries(SATELLITES).map(([layer, others]) => [layer, [...others, 'packages/core', ...GROUND]]),
  ),
  'packages/webcrawl': [...Object.keys(SATELLITES), ...Object.keys(CORE)],
  bin: ['packages/webcrawl'],
};

/**
 * The floors within a layer, lowest first: its sub-folders, and single files. `*` means all other files at its top. A file may
 * import from its own floor or a lower one; it may import types from the whole layer.
 */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  'packages/webcrawl': [
    'names.ts',
    'late.ts',
    'bound.ts',
    'options',
    'plugins',
    '*',
    'tables',
    'continuous',
    'rules',
    'serve.ts',
    'satellites.ts',
    'checks.ts',
    'crawl.ts',
    'testing',
    'internal.ts',
    'index.ts',
  ],
  webtable: [
    'schema.ts',
    'store.ts',
    'selectors.ts',
    'check-changes.ts',
    'store-errors.ts',
    'private-folder.ts',
    'link-file.ts',
    'scan-steps.ts',
    'varint.ts',
    'packed-cells.ts',
    'change-shared.ts',
    'keys',
    'content',
    'stores',
    'pages',
    'leases',
    'batches',
    'frontier',
    'changes',
    'migrations',
    'tables',
    'live',
    'store-suite',
    '*',
  ],
  'packages/fetch': ['address', 'http', 'robots', 'queues', '*'],
  'packages/parse': ['charset', 'shared', 'language', 'sniff', 'xml', 'html', 'document', '*'],
  'packages/answers': ['pages', 'explain', '*'],
  'packages/changes': ['diff', '*'],
  'packages/hbase': ['thrift', 'gateway', '*'],
  'packages/hosts': ['host-terms.ts', 'delay.ts', 'robots-of.ts', '*', 'plan', 'index.ts'],
  'packages/scan': ['growing-array.ts', 'on-disk.ts', 'disk-file.ts', 'sort', '*'],
  'packages/graph': ['*', 'ranking', 'rank.ts', 'public.ts', 'index.ts'],
  'packages/serve': ['source.ts', 'http', 'texts', 'site', 'live', 'pages', 'changes', '*'],
  'packages/export': ['target', 'stated', 'markdown', 'site', 'pages', 'warc', 'krake', 'graph', '*'],
  'packages/index': ['threads', 'words', 'documents', 'sqlite', 'opensearch', 'writing', '*'],
  'packages/focus': ['statistics', 'candidates', 'rules', 'proposals', 'report', '*'],
  'packages/search': ['results', 'query', '*'],
  'packages/jobs': [
    'context.ts',
    'rules',
    'reporting',
    'shards',
    'scope',
    'hosts',
    'rows',
    'changes',
    'selection',
    'requests',
    'parsing',
    'linking',
    'inject',
    'fetching',
    'inbox',
    'generating',
    '*',
    'rounds',
    'crawl.ts',
    'index.ts',
  ],
};

/** The only file of the library that the command imports at its start. It loads the library, by its own door, when a verb runs. */
const NAMES = 'packages/webcrawl/names.ts';
/** The door of the library for the command and tests: functions with a context. `index.ts` is for users. */
const INTERNAL = 'packages/webcrawl/internal.ts';

/**
 * Files of satellites that the library and the command load at their start: names, limits, and functions that must return at
 * once. All other files of a satellite are loaded at its first call.
 */
const LOADED_AT_START: readonly string[] = [
  'packages/answers/check-robots.ts',
  'packages/answers/check-url.ts',
  'packages/answers/pages/dump-terms.ts',
  'packages/answers/readdb.ts',
  'packages/audit/formats/audit-formats.ts',
  'packages/changes/change-details.ts',
  'packages/export/graph/graph-formats.ts',
  'packages/export/pages/csv.ts',
  'packages/export/pages/page-formats.ts',
  'packages/graph/levels.ts',
  'packages/hosts/host-terms.ts',
  'packages/index/sqlite/schema.ts',
  'packages/search/max-hits.ts',
  'packages/serve/default-port.ts',
];

function layerOf(path: string): string {
  const [top = '', second = ''] = path.split('/');
  return top === 'packages' ? `${top}/${second}` : top;
}

/** Every broken rule, with the file and what was expected. */
function brokenRules(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...brokenImports(file), ...brokenManners(file)]);
}

function brokenImports({ path, imports }: SourceFile): string[] {
  const layer = layerOf(path);
  const allowed = LAYERS[layer];
  if (!allowed) return [`${path}: ${layer} is no layer, add it to the table in test/layers.test.ts`];
  return imports.flatMap(({ from, file, typesOnly }) => {
    if (file === undefined) return [];
    if (!from.endsWith('.js')) return [`${path}: imports ${from}, expected it to end with .js`];
    const other = layerOf(file);
    if (other === layer) return [];
    if (file === NAMES && layer === 'bin') return [];
    if (path === NAMES && file === 'packages/rules/describe-rule.ts') return [];
    if (LOADED_AT_START.includes(file) && layer === 'packages/webcrawl') return [];
    if (file === `${other}/public.ts`) {
      // A public API may export the types of another.
      if (layer === 'packages/webcrawl' || (typesOnly && path === `${layer}/public.ts`)) return [];
    }
    const door = other === 'packages/webcrawl' ? INTERNAL : `${other}/index.ts`;
    if (file !== door) return [`${path}: imports ${file}, expected only the door ${door}`];
    if (layer === 'bin' && other === 'packages/webcrawl' && !typesOnly && path !== 'bin/library.ts') {
      return [`${path}: imports ${file} other than types, expected it of library() when a verb runs, or ${NAMES}`];
    }
    if (allowed.includes(other) || (typesOnly && allowed.includes(`${other} (types)`))) return [];
    const only = allowed.includes(`${other} (types)`) ? ' other than types' : '';
    return [`${path}: imports ${other}${only}, but ${layer} may import only: ${allowed.join(', ') || 'nothing'}`];
  });
}

/** Names that a job may not use: it uses the typed methods of the tables. */
const BENEATH_TABLES =
  /^(Store|StoredRow|RowChange|ScanOptions|Column|ColumnSelector|MemoryStore|LevelStore|SharedStore)$/;

function brokenManners({ path, ast }: SourceFile): string[] {
  const broken: string[] = [];
  const bin = layerOf(path) === 'bin';
  const job = /^packages\/(jobs|answers|maintenance)$/.test(layerOf(path));
  visit(ast, (node) => {
    if (job && ts.isImportSpecifier(node) && BENEATH_TABLES.test(node.name.text)) {
      broken.push(`${path}: imports ${node.name.text}, a job sees typed tables and no store`);
    }
    if (
      job &&
      ts.isPropertyAccessExpression(node) &&
      node.name.text === 'store' &&
      /tables$/.test(node.expression.getText(ast))
    ) {
      broken.push(`${path}: uses ${node.getText(ast)}, a job sees typed tables and no store`);
    }
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      const name = `${node.expression.text}.${node.name.text}`;
      if (/^console\./.test(name) && !bin) broken.push(`${path}: uses ${name}, only bin talks to people`);
      if (/^process\.(exit|exitCode|abort)$/.test(name) && path !== 'bin/main.ts') {
        broken.push(`${path}: uses ${name}, only bin/main.ts ends the process`);
      }
      if (/^process\.(env|argv)$/.test(name) && !bin) broken.push(`${path}: uses ${name}, it is to be passed in`);
      if (/^(globalThis|global)\./.test(name) && !/\.(crypto|performance)$/.test(name)) {
        broken.push(`${path}: uses ${name}, there are no globals`);
      }
    }
  });
  for (const statement of bin ? [] : ast.statements) {
    if (ts.isVariableStatement(statement) && !(statement.declarationList.flags & ts.NodeFlags.Const)) {
      broken.push(`${path}: has a variable at its top level, there is no state at import`);
    }
  }
  return broken;
}

function floorOf(path: string, floors: readonly string[]): number {
  const [first = ''] = path.slice(layerOf(path).length + 1).split('/');
  const floor = floors.indexOf(first);
  return floor === -1 && first.endsWith('.ts') ? floors.indexOf('*') : floor;
}

/** Imports from a higher floor within a layer, and sub-folders without a floor. */
function brokenFloors(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, imports }) => {
    const layer = layerOf(path);
    const floors = FLOORS[layer];
    if (!floors) return [];
    const floor = floorOf(path, floors);
    if (floor === -1) return [`${path}: is on no floor, add its folder to those of ${layer} in test/layers.test.ts`];
    return imports.flatMap(({ file, typesOnly }) => {
      if (file === undefined || typesOnly || layerOf(file) !== layer || floorOf(file, floors) <= floor) return [];
      return [`${path}: imports ${file}, which is on a higher floor: ${floors.join(', ')}`];
    });
  });
}

/** npm packages that more than one layer imports, type imports excluded. */
function strayPackages(files: readonly SourceFile[]): string[] {
  const homes = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    for (const { from, file, typesOnly } of imports) {
      if (file !== undefined || typesOnly || from.startsWith('node:')) continue;
      const name = from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/');
      homes.set(name, (homes.get(name) ?? new Set()).add(layerOf(path)));
    }
  }
  return [...homes]
    .filter(([, layers]) => layers.size > 1)
    .map(([name, layers]) => `${name} is imported by ${[...layers].join(' and ')}, expected one home`);
}

const FILES = sourceFiles();

describe('the layers', () => {
  test('every import goes to a lower layer, through its door', () => {
    expect(brokenRules(FILES)).toEqual([]);
  });

  test('within a layer, every import goes to the same floor or a lower one', () => {
    expect(brokenFloors(FILES)).toEqual([]);
  });

  test('only one layer imports an npm package', () => {
    expect(strayPackages(FILES)).toEqual([]);
  });

  test('every layer has files, and a door if others import it', () => {
    const paths = new Set(FILES.map(({ path }) => path));
    for (const layer of Object.keys(LAYERS)) {
      expect(
        [...paths].some((path) => path.startsWith(`${layer}/`)),
        `${layer} has no files`,
      ).toBe(true);
      if (layer !== 'bin') expect(paths.has(`${layer}/index.ts`), `${layer} has no index.ts`).toBe(true);
    }
  });

  test('no imports form a cycle', () => {
    const graph = new Map(
      FILES.map(({ path, imports }) => [
        path,
        imports.flatMap(({ file, typesOnly }) => (file === undefined || typesOnly ? [] : [file])),
      ]),
    );
    expect(findCycle(graph)).toBeUndefined();
  });
});

describe('satellites are loaded when they are called', () => {
  const files = new Map(FILES.map((file) => [file.path, file]));

  /** The files of satellites that are loaded when these files start. */
  function satellitesLoadedBy(starts: readonly string[]): string[] {
    const loaded = new Set(starts);
    for (const path of loaded) {
      for (const { file, typesOnly, isLate } of files.get(path)?.imports ?? []) {
        if (file !== undefined && !typesOnly && !isLate) loaded.add(file);
      }
    }
    return [...loaded].filter((path) => layerOf(path) in SATELLITES).sort();
  }

  test('the library and the command load only the listed files at their start', () => {
    const command = [...files.keys()].filter((path) => path.startsWith('bin/'));
    expect(satellitesLoadedBy(['packages/webcrawl/index.ts', 'packages/webcrawl/internal.ts', ...command])).toEqual(
      LOADED_AT_START,
    );
  });

  test('exports load the code for Krake only when it is used', () => {
    const loaded = satellitesLoadedBy(['packages/export/index.ts']);
    expect(loaded.filter((path) => path.includes('krake'))).toEqual(['packages/export/load-krake.ts']);
  });

  test('the core loads none', () => {
    expect(satellitesLoadedBy(['packages/core/index.ts', 'packages/jobs/parsing/parse-worker.ts'])).toEqual([]);
  });
});

describe('the test itself finds', () => {
  test.each([
    [
      'webtable/x.ts',
      `import { a } from '../packages/jobs/index.js';`,
      'webtable may import only: packages/url, packages/util, packages/errors',
    ],
    ['webtable/x.ts', `import type { A } from '../config/index.js';`, 'webtable/x.ts: imports config'],
    ['packages/errors/x.ts', `export * from '../url/index.js';`, 'may import only: nothing'],
    ['packages/fetch/x.ts', `import { a } from '../../webtable/index.js';`, 'imports webtable other than types'],
    ['packages/fetch/x.ts', `import { type A, b } from '../../config/index.js';`, 'imports config other than types'],
    ['packages/fetch/x.ts', `import type { A } from '../parse/index.js';`, 'imports packages/parse, but'],
    ['packages/jobs/x.ts', `await import('../plugins/index.js');`, 'imports packages/plugins, but'],
    ['packages/jobs/x.ts', `import { a } from '../fetch/robots.js';`, 'expected only the door packages/fetch/index.ts'],
    ['bin/commands/x.ts', `import { a } from '../../config/index.js';`, 'imports config, but bin'],
    ['bin/x.ts', `import { a } from '../packages/webcrawl/internal.js';`, 'of library() when a verb runs'],
    ['bin/commands/x.ts', `let a: import('../../webtable/index.js').B;`, 'imports webtable, but bin'],
    ['config/x.ts', `import { a } from './schema';`, 'expected it to end with .js'],
    ['packages/new/x.ts', ``, 'packages/new is no layer'],
    ['packages/jobs/x.ts', `console.log(1);`, 'uses console.log'],
    ['bin/run.ts', `process.exit(1);`, 'only bin/main.ts ends the process'],
    ['packages/jobs/x.ts', `const a = process.env.X;`, 'it is to be passed in'],
    ['packages/jobs/x.ts', `let cache = 1;`, 'no state at import'],
    ['packages/jobs/x.ts', `import type { Store } from '../../webtable/index.js';`, 'a job sees typed tables'],
    ['packages/jobs/x.ts', `await crawl.tables.store.close();`, 'a job sees typed tables'],
  ])('%s: %s', (path, text, expected) => {
    expect(brokenRules([parseSource(path, text)]).join('\n')).toContain(expected);
  });

  test.each([
    ['packages/fetch/x.ts', `import { type A, type B } from '../../webtable/index.js';`],
    ['packages/fetch/x.ts', `export type { A } from '../../config/index.js';`],
    ['packages/jobs/x.ts', `import { a } from '../fetch/index.js';`],
    ['bin/main.ts', `process.exitCode = 1;`],
  ])('nothing in %s: %s', (path, text) => {
    expect(brokenRules([parseSource(path, text)])).toEqual([]);
  });

  test('imports from a higher floor, and folders without a floor', () => {
    const up = parseSource('packages/jobs/hosts/a.ts', `import { a } from '../parsing/b.js';`);
    const types = parseSource('packages/jobs/hosts/a.ts', `import type { A } from '../parsing/b.js';`);
    const verb = parseSource('packages/jobs/fetching/a.ts', `import { parse } from '../parse.js';`);
    const down = parseSource('packages/jobs/parse.ts', `import { a } from './parsing/b.js';`);
    const nowhere = parseSource('packages/jobs/attic/a.ts', ``);
    expect(brokenFloors([types, down])).toEqual([]);
    expect(brokenFloors([up, verb, nowhere]).map((text) => text.split(',')[0])).toEqual([
      'packages/jobs/hosts/a.ts: imports packages/jobs/parsing/b.ts',
      'packages/jobs/fetching/a.ts: imports packages/jobs/parse.ts',
      'packages/jobs/attic/a.ts: is on no floor',
    ]);
  });

  test('packages that two layers import, and cycles', () => {
    const a = parseSource('config/a.ts', `import { z } from 'zod/v4';`);
    const b = parseSource('webtable/b.ts', `import { z } from 'zod'; import 'node:fs';`);
    const c = parseSource('webtable/c.ts', `import type { z } from 'zod';`);
    expect(strayPackages([a, c])).toEqual([]);
    expect(strayPackages([a, b])).toEqual(['zod is imported by config and webtable, expected one home']);
    expect(
      findCycle(
        new Map([
          ['a', ['b']],
          ['b', ['c', 'a']],
          ['c', []],
        ]),
      ),
    ).toBe('a -> b -> a');
  });
});

function findCycle(graph: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): string | undefined => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path].join(' -> ');
    if (done.has(path)) return undefined;
    for (const next of graph.get(path) ?? []) {
      const cycle = walk(next, [...trail, path]);
      if (cycle !== undefined) return cycle;
    }
    done.add(path);
    return undefined;
  };
  for (const path of graph.keys()) {
    const cycle = walk(path, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
