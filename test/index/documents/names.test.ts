import { beforeAll, expect, test } from 'vitest';
import { createWords, nameTerms, type Words } from '../../../packages/index/index.js';
import { namesOf } from '../../../packages/index/documents/names.js';

let words: Words;
beforeAll(async () => {
  words = await createWords();
});

test.each([
  ['SELECT', 'https://a.example/lang_select.html', '#select #langselecthtml #langselect ##select'],
  ['git-rebase(1)', 'https://a.example/git-rebase.html', '#gitrebase1 #gitrebase #gitrebasehtml ##gitrebase ##rebase'],
  [
    'json \u2014 JSON encoder \u2014 Python',
    'https://a.example/json.html?a#b',
    '#jsonjsonencoderpython ##json ##jsonencoder ##python',
  ],
  ['5.1. More on C++', 'https://a.example/Docs/default.aspx', '#5.1moreonc++ #moreonc++ #docs ##more'],
  ['', 'https://a.example/', ''],
  ['', 'https://a.example/git-cherry-pick', '#gitcherrypick ##cherrypick ##pick'],
  ['', 'https://a.example/how-to-write-in-rust', '#howtowriteinrust'],
  ['東京都庁', 'https://a.example/%E6%9D%B1%E4%BA%AC', '#東京都庁 #東京 ##東京都庁'],
])('the names of a page are its title and its file, and the words that stand for them: %s', (title, url, names) => {
  expect(namesOf(words, { title, url })).toBe(names);
});

test('a query is a name in any case and spelling, unless it is very long', () => {
  for (const text of ['create index', 'CreateIndex', 'create-index'])
    expect(nameTerms(words, text)).toEqual({ exact: '#createindex', near: '##createindex' });
  for (const text of ['', ' - ', 'x'.repeat(201)]) expect(nameTerms(words, text)).toBeUndefined();
});
