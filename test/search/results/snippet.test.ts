import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { createWords, type Words } from '../../../packages/index/index.js';
import {
  makeSnippet,
  withoutTitle,
  type SnippetInput,
  type SnippetPart,
} from '../../../packages/search/results/snippet.js';

let words: Words;
beforeAll(async () => {
  words = await createWords();
});

function snippet(
  text: string,
  terms: readonly string[],
  language?: string,
  more: Partial<SnippetInput> = {},
): Promise<readonly SnippetPart[]> {
  return makeSnippet([text], { words, language, terms: new Set(terms), ...more });
}
const shown = async (parts: Promise<readonly SnippetPart[]>) =>
  (await parts).map(({ text, hit }) => (hit ? `[${text}]` : text)).join('');

test('a text begins after its title, and after a heading with the same text', () => {
  expect(withoutTitle('Maps\nMaps The oldest chart. Maps too.', 'Maps', 2)).toBe('The oldest chart. Maps too.');
  expect(withoutTitle('Mapsellers meet', 'Maps', 2)).toBe('Mapsellers meet');
  expect(withoutTitle('Maps', 'Maps', 2)).toBe('');
  expect(withoutTitle(' A text', '', 2)).toBe('A text');
});

test.each([
  ['Sencha Sencha is a steamed green tea.', 'Sencha is a steamed green tea.'],
  ['Sencha is a steamed green tea.', 'Sencha is a steamed green tea.'],
  ['Sencha Sencha (\u714e\u8336) is a tea.', 'Sencha (\u714e\u8336) is a tea.'],
  ['Sencha Sencha Gr\u00fcntee kommt aus Japan.', 'Sencha Gr\u00fcntee kommt aus Japan.'],
])('a title that is the subject of the first sentence stays: %s', (text, shown) => {
  expect(withoutTitle(text, 'Sencha', 1)).toBe(shown);
});

describe('a snippet', () => {
  test('begins at the sentence with the word, and marks all its forms', async () => {
    const text = `${'Something else comes first. '.repeat(20)}Crawlers follow links. A crawler is polite. ${'The rest is not of interest. '.repeat(20)}`;
    const found = await shown(snippet(text, [words.stem('crawler', 'en')], 'en'));
    expect(found).toMatch(/^(Something else comes first\. ){0,3}\[Crawlers\] follow links\. A \[crawler\] is polite\./);
    expect(found).toMatch(/\.$/);
  });

  test('shows the place with most of the words', async () => {
    const text = `alpha ${'x '.repeat(300)}. beta ${'y '.repeat(300)}. Here alpha and beta are together. ${'z '.repeat(300)}`;
    expect(await shown(snippet(text, ['alpha', 'beta']))).toContain('Here [alpha] and [beta] are together.');
  });

  test('of Chinese is cut at sentences, and counts two columns per character', async () => {
    const text = `${'这是别的内容。'.repeat(60)}用户可以安装软件。${'后面还有很多文字。'.repeat(60)}`;
    const parts = await snippet(text, ['安装'], 'zh');
    expect(parts.map(({ text, hit }) => (hit ? `[${text}]` : text)).join('')).toContain('用户可以[安装]软件。');
    expect(parts.map((part) => part.text).join('').length).toBeLessThanOrEqual(130);
  });

  test('of a text without the words is its beginning, and of no text empty', async () => {
    expect(await shown(snippet('The beginning of a page.', ['zebra']))).toBe('The beginning of a page.');
    expect(await snippet('', ['zebra'])).toEqual([]);
  });

  test('is plain text without invisible characters, and keeps markup as text', async () => {
    expect(await shown(snippet('a\u0000\u202eb <script>zebra</script>\u001b[1m', ['zebra']))).toBe(
      'a b <script>[zebra]</script> [1m',
    );
  });

  test('of any text is short and clean, with its words in their order', async () => {
    const piece = fc.constantFrom(
      'zebra',
      ' ',
      '. ',
      '\n',
      '中文',
      '安装',
      'é',
      '\u{20bb7}',
      '\ud800',
      '\u0000',
      'x'.repeat(50),
      '…',
      '。',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 200 }), async (pieces) => {
        const parts = await snippet(pieces.join(''), ['zebra', '安装']);
        const text = parts.map((part) => part.text).join('');
        expect(text.length).toBeLessThanOrEqual(260);
        expect(text).not.toMatch(/\p{Cc}|\p{Cs}/u);
        for (const part of parts) expect(part.text).not.toBe('');
      }),
      { seed: 11 },
    );
  });

  test('shows a word that the page spells with a hyphen', async () => {
    const text = `Go in to it. ${'Something else comes first. '.repeat(20)}Send an e-mail now. ${'And more. '.repeat(60)}`;
    expect(await shown(snippet(text, ['email'], 'en'))).toContain('Send an [e-mail] now.');
    expect(await shown(snippet(`${text} Look into it.`, ['into'], 'en'))).toContain('Look [into] it.');
  });

  test('of a megabyte takes little time', async () => {
    // A generous limit: splitting all of it into words would take many times as long.
    const text = '中文文本没有空格'.repeat(131_072);
    const began = process.cpuUsage();
    for (let i = 0; i < 10; i++) await snippet(`${text}安装`, ['安装', '没有', '文'], 'zh');
    const { user } = process.cpuUsage(began);
    expect(user / 1e6).toBeLessThan(5);
  });

  test('finds words across the borders of pieces and in capitals, and stops once it has all of them', async () => {
    for (const shift of [-9, -4, 0, 3]) {
      const text = `${'y '.repeat(32_768 + shift)}. \u0130\u0130 Alpha BETA. ${'z '.repeat(100_000)}`;
      expect(await shown(snippet(text, ['alpha', 'beta']))).toContain('[Alpha] [BETA].');
    }
  });

  test('lets other work continue, and ends with its signal', async () => {
    const text = 'x '.repeat(500_000);
    let turns = 0;
    let isDone = false;
    const turn = (): void => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    await snippet(text, ['zebra']);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(10);
    const controller = new AbortController();
    const gone = snippet(text, ['zebra'], undefined, { signal: controller.signal });
    controller.abort();
    await expect(gone).rejects.toThrow();
  });

  test.each([0, 3, 20, 100])('of a page that allows %s characters is no longer', async (most) => {
    const text = `${'Something else comes first. '.repeat(20)} A zebra is here. ${'And more of it. '.repeat(20)}`;
    const parts = await snippet(text, ['zebra'], 'en', { most });
    expect(parts.map((part) => part.text).join('').length).toBeLessThanOrEqual(most);
    expect(parts.length > 0).toBe(most > 4);
  });
});
