import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openContext, type Plugin } from '../../packages/webcrawl/internal.js';
import { suiteFolder } from '../support/files/temp-folder.js';

const folder = suiteFolder();

const protocolOf = (schemes: unknown[]): string =>
  `export default { name: 'x', protocol: { schemes: ${JSON.stringify(schemes)}, fetch: () => {} } };`;

const open = async (plugins: string[]): Promise<string[]> => {
  const config = join(folder, 'webcrawl.json');
  await writeFile(config, JSON.stringify({ plugins }));
  await using crawl = await openContext({ table: 'memory:', config });
  return crawl.plugins.map((plugin) => plugin.name).slice(-2);
};

describe('plugins of the settings file', () => {
  it('are modules beside it, one or a list, in order', async () => {
    await writeFile(join(folder, 'one.mjs'), `export default { name: 'one', filterUrl: () => true };`);
    await writeFile(join(folder, 'two.mjs'), `export default [{ name: 'two', normalizeUrl: (url) => url }];`);
    expect(await open(['./one.mjs', './two.mjs'])).toEqual(['one', 'two']);
  });

  it('are packages that are installed beside it', async () => {
    const home = join(folder, 'node_modules/my-plugin');
    await mkdir(home, { recursive: true });
    await writeFile(join(home, 'package.json'), '{"name": "my-plugin", "type": "module", "exports": "./main.js"}');
    await writeFile(join(home, 'main.js'), `export default { name: 'mine', filterUrl: () => true };`);
    expect(await open(['my-plugin'])).toContain('mine');
  });

  it('are rejected with what was found, before a table is opened', async () => {
    const cases: [source: string, found: string][] = [
      [`export default undefined;`, 'found none'],
      [`export default 7;`, 'found number'],
      [`export default { filterUrl: () => true };`, 'found one without a name'],
      [`export default { name: 'x' };`, 'found "x" that has none of normalizeUrl, filterUrl'],
      [`export default { name: 'x', filterUrl: 7 };`, 'found "x" whose filterUrl is no function'],
      [`export default { name: 'x', protocol: {} };`, 'found "x" whose protocol.schemes is no list'],
      [`export default { name: 'x', parser: { contentTypes: [] } };`, 'found "x" whose parser.parse is no function'],
      [`export default { name: 'x', onPage: {} };`, 'found "x" whose onPage is no function'],
      [protocolOf(['http', 'ftp']), 'expected a protocol of http or https, found "x" for "ftp"'],
      [protocolOf(['HTTP']), 'found "x" for "HTTP"'],
      [protocolOf(['http:']), 'found "x" for "http:"'],
      [protocolOf([7]), 'found "x" for "7"'],
      [`export default { name: '\\u001b[31m', filterUrl: 7 };`, 'found "\\u001b[31m" whose'],
      [`throw new Error('out of order');`, 'out of order'],
      [`export default {`, 'cannot load the module'],
    ];
    for (const [i, [source, found]] of cases.entries()) {
      await writeFile(join(folder, `bad-${i}.mjs`), source);
      await expect(open([`./bad-${i}.mjs`]), source).rejects.toMatchObject({
        code: 'BAD_PLUGIN',
        message: expect.stringContaining(found) as string,
      });
    }
    for (const module of ['no-such-package', './nothing', './nothing.mjs']) {
      await expect(open([module])).rejects.toMatchObject({
        code: 'BAD_PLUGIN',
        hint: expect.stringMatching(/\.mjs.*\.js.*\.ts/s) as string,
      });
    }
  });
});

describe('plugins of the library', () => {
  it('are checked in the same way', async () => {
    const plugin = { name: 'x', schedule: {} } as unknown as Plugin;
    await expect(openContext({ table: 'memory:', plugins: [plugin] })).rejects.toMatchObject({
      code: 'BAD_PLUGIN',
      message: 'expected a plugin in the list of plugins, found "x" whose schedule.initialize is no function',
    });
  });

  it('may replace the defaults', async () => {
    await using crawl = await openContext({
      table: 'memory:',
      plugins: (defaults) => defaults.filter(({ filterUrl }) => !filterUrl),
    });
    expect(crawl.plugins.some(({ filterUrl }) => filterUrl)).toBe(false);
  });
});
