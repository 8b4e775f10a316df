import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePage } from '../support/parsing/parse-page.js';
import { plainTree, textAndLinks, type PlainElement } from '../support/parsing/plain-tree.js';

/**
 * The html5lib cases are in no npm package; the source package of html5lib 1.1 for Python has them, in `html5lib/tests/testdata`. This is
 * that folder.
 */
const folder = process.env['WEBCRAWL_HTML5LIB'] ?? join(import.meta.dirname, '../../../shared/reference/html5lib');
const present = existsSync(join(folder, 'tree-construction'));
const URL_OF_PAGE = 'http://h.com/d/p.html';

interface TreeCase {
  readonly name: string;
  readonly data: string;
  readonly document: string;
}

/** The cases of whole documents that do not need scripting. */
function treeCases(): TreeCase[] {
  if (!present) return [];
  const files = readdirSync(join(folder, 'tree-construction')).filter((file) => file.endsWith('.dat'));
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(folder, 'tree-construction', file), 'utf8');
    return text
      .split(/^#data\n/m)
      .slice(1)
      .flatMap((block, i) => {
        const match = /^([\s\S]*?)\n?#errors\n[\s\S]*?^#document\n([\s\S]*)$/m.exec(block);
        if (!match || /^#(?:document-fragment|script-on)$/m.test(block)) return [];
        return [{ name: `${file}:${i + 1}`, data: match[1]!, document: match[2]!.trimEnd() }];
      });
  });
}

/** The tree that a case expects, read from its lines. */
function expectedTree(document: string): PlainElement {
  const root: PlainElement = { name: '', attributes: {}, children: [] };
  const open: PlainElement[] = [root];
  // A text may span several lines.
  for (const line of document.split(/\n(?=\| )/)) {
    const match = /^\| ( *)([\s\S]*)$/.exec(line);
    if (!match) continue;
    const [, indent = '', content = ''] = match;
    const depth = indent.length / 2;
    const parent = open[depth]!;
    open.length = depth + 1;
    const element = /^<([^!?][^>]*)>$/.exec(content)?.[1];
    const attribute = /^([^"<][^=]*)="([\s\S]*)"$/.exec(content);
    if (element !== undefined) {
      const child: PlainElement = { name: element, attributes: {}, children: [] };
      parent.children.push(child);
      open.push(child);
    } else if (content === 'content') {
      // The content of a template is not part of the page.
      open.push({ name: 'template', attributes: {}, children: [] });
    } else if (content.startsWith('"')) {
      parent.children.push(content.replace(/^"|"$/g, ''));
    } else if (attribute) {
      (parent.attributes as Record<string, string>)[attribute[1]!] = attribute[2]!;
    }
  }
  return root;
}

function found(html: string): { text: string; links: string[] } {
  const page = parsePage(html, { url: URL_OF_PAGE });
  return { text: page.text.replace(/\s+/g, ''), links: page.outlinks.map(({ url }) => url) };
}

/** Texts in another order than that of the tree, each with the reason. */
const OTHER_ORDER: Readonly<Record<string, { text: string; reason: string }>> = {
  'tests19.dat:18': { text: 'adbc', reason: 'the notes of ruby stand behind the words that they are for' },
};

/** Cases in which another encoding is found, each with the reason. */
const OTHER_ENCODING: Readonly<Record<string, string>> = {
  'tests1.dat:55': 'a meta element that a script writes',
};

/** The encoding of a page; html5lib has windows-1252 if none is named, also for ASCII. */
function encodingOf(page: Uint8Array): string | undefined {
  const { charset, charsetSource } = parsePage(page);
  return charsetSource === 'valid-utf-8' ? 'windows-1252' : charset;
}

describe.skipIf(!present)(
  present ? 'html5lib cases' : 'html5lib cases (skipped: not at hand; WEBCRAWL_HTML5LIB names their folder)',
  () => {
    test('of trees: text and links are those of the expected tree', () => {
      const cases = treeCases();
      const deviating: string[] = [];
      for (const { name, data, document } of cases) {
        const ours = found(data);
        const order = OTHER_ORDER[name];
        if (order) {
          expect(ours.text, name).toBe(order.text);
          continue;
        }
        expect(ours, name).toEqual(textAndLinks(plainTree(data), URL_OF_PAGE));
        if (JSON.stringify(ours) !== JSON.stringify(textAndLinks(expectedTree(document), URL_OF_PAGE)))
          deviating.push(name);
      }
      expect(cases.length).toBeGreaterThan(1000);
      expect(deviating).toEqual([]);
      expect(cases.filter(({ data }) => found(data).text !== '').length).toBeGreaterThan(500);
    });

    test('of tokens: text and links are those of the tree', () => {
      let count = 0;
      for (const file of readdirSync(join(folder, 'tokenizer')).filter((name) => name.endsWith('.test'))) {
        const { tests = [] } = JSON.parse(readFileSync(join(folder, 'tokenizer', file), 'utf8')) as {
          tests?: { description: string; input: string }[];
        };
        for (const { description, input } of tests) {
          count++;
          // A body consists of bytes, so it cannot have invalid characters.
          const html = Buffer.from(input).toString();
          expect(found(`<!doctype html>${html}`), description).toEqual(
            textAndLinks(plainTree(`<!doctype html>${html}`), URL_OF_PAGE),
          );
        }
      }
      expect(count).toBeGreaterThan(1000);
    });

    test('of encodings: the one that the page names is found, wherever it is', () => {
      const deviating: string[] = [];
      for (const file of ['tests1.dat', 'tests2.dat', 'test-yahoo-jp.dat']) {
        const blocks = readFileSync(join(folder, 'encoding', file), 'latin1')
          .split(/^#data\n/m)
          .slice(1);
        for (const [i, block] of blocks.entries()) {
          const [, data = '', encoding = ''] = /^([\s\S]*?)\n#encoding\n(\S*)/.exec(block) ?? [];
          const ours = encodingOf(Buffer.from(data, 'latin1'));
          if (ours !== encoding.toLowerCase()) deviating.push(`${file}:${i + 1}`);
        }
      }
      expect(deviating).toEqual(Object.keys(OTHER_ENCODING));
    });
  },
);
