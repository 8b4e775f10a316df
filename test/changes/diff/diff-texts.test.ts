import { describe, expect, it } from 'vitest';
import { diffTexts } from '../../../packages/changes/diff/diff-texts.js';

const LONG = 'One paragraph of a page is one line, and may have a hundred words or more';

describe('a diff', () => {
  it.each([
    ['words that are added to a line', LONG, `${LONG}, says who wrote it`, { added: 5, removed: 1 }],
    ['a word that is replaced', LONG, LONG.replace('hundred', 'thousand'), { added: 1, removed: 1 }],
    ['lines that are added', LONG, `${LONG}\nAnd one.`, { added: 2, removed: 0 }],
    ['the first text of a page', '', 'A text.', { added: 2, removed: 0, similarity: 0 }],
    ['the last text of a page', 'A text.', '', { added: 0, removed: 2, similarity: 0 }],
    ['lines in another order', 'One.\nTwo two.', 'Two two.\nOne.', { added: 1, removed: 1 }],
    ['nothing', LONG, LONG, { added: 0, removed: 0, similarity: 1, lines: [] }],
    ['spaces', 'One two.', 'One  two.', { added: 0, removed: 0, similarity: 1 }],
  ])('counts %s', (_, before, after, counts) => {
    expect(diffTexts(before, after)).toMatchObject(counts);
  });

  it('has only lines of the texts', () => {
    expect(diffTexts('', 'A text.')).toMatchObject({ lines: [{ sign: '+', text: 'A text.' }] });
    expect(diffTexts(`${LONG}\nOne.`, `${LONG}\nTwo.`)).toMatchObject({
      lines: [
        { sign: ' ', text: LONG },
        { sign: '-', text: 'One.' },
        { sign: '+', text: 'Two.' },
      ],
    });
  });

  it('states how much of a text is the same', () => {
    const { similarity } = diffTexts(LONG, LONG.replace('hundred', 'thousand')) as { similarity: number };
    expect(similarity).toBeCloseTo(15 / 16);
  });
});
