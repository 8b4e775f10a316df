import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { withoutMentions } from '../../packages/util/index.js';

test.each([
  ['@org/team #1', '@<!-- -->org/team #<!-- -->1'],
  ['a@b', 'a@<!-- -->b'],
  ['C# and @ alone', 'C# and @ alone'],
])('%s names nobody, and is read as before', (text, written) => {
  expect(withoutMentions(text)).toBe(written);
  const shown = new MarkdownIt({ html: true }).render(written).replace(/<!-- -->|<\/?p>|\n/g, '');
  expect(shown).toBe(text);
});
