import { expect, test } from 'vitest';
import { replaceUnseen } from '../../packages/util/index.js';

test.each([
  ['a\tb\nc', 'a\tb\nc'],
  ['a\r\u0000\u000b\u001b\u0085b', 'ab'],
  ['soft\u00adhyphen \u200bspace\ufeff', 'softhyphen space'],
  ['\u202eevil\u2066\u2069 \u061c\u200e\u200f', 'evil '],
  ['\ud83d x \udc00 \ud83d\ude00', ' x  \ud83d\ude00'],
  ['می\u200cخواهم 👩\u200d🚀', 'می\u200cخواهم 👩\u200d🚀'],
])('%j becomes %j', (text, plain) => {
  expect(replaceUnseen(text, '')).toBe(plain);
});
