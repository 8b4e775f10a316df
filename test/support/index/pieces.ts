import fc from 'fast-check';

/** Scripts whose pages must be found by any piece of their text. */
export const SCRIPTS = ['en', 'zh', 'ja', 'ko', 'th'] as const;
type Script = (typeof SCRIPTS)[number];

/** Words of the texts. Joined at random they form words that no dictionary has. */
const WORDS: Readonly<Record<Script, readonly string[]>> = {
  en: 'the tide rises twice a day harbour engine of cafés HashMap utf8_decode stop-word reading readers'.split(' '),
  zh: '中国 农业 发展 银行 清华大学 图书馆 中华人民共和国 人民 大学生 学生会 的 在 南京市 长江大桥 王小波 是 喜欢 研究生 生命 科学 𠀀'.split(
    ' ',
  ),
  ja: '東京都庁 の 展望台 へ 行きました 検索 エンジン ﾃﾞｰﾀ 京都府 に 住む 学生 は 図書館 プログラミング 言語 人々 きゃりー が'.split(
    ' ',
  ),
  ko: '학교에서 공부하는 학생들은 도서관에 갑니다 대한민국 서울특별시 GPU에서 검색엔진을 물은 3월에 안녕하세요 프로그래밍'.split(
    ' ',
  ),
  th: 'ภาษา ไทย กรุงเทพมหานคร น้ำ ประเทศ การ ศึกษา มหาวิทยาลัย โรงเรียน เด็ก อ่าน หนังสือ ที่ เป็น สวยงาม'.split(' '),
};
/** Separators of words: mostly empty in scripts without blanks. */
const BETWEEN: Readonly<Record<Script, readonly string[]>> = {
  en: [' ', ' ', ' ', ', '],
  zh: ['', '', '', '', '，', '\n'],
  ja: ['', '', '', '', '、', '\n'],
  ko: [' ', ' ', '. '],
  th: ['', '', '', ' '],
};
/** A piece as a reader sees it: adjacent whole words in Latin letters, else consecutive letters of one script. */
const RUNS: Readonly<Record<Script, RegExp>> = {
  en: /[\p{L}\p{N}_]+(?: [\p{L}\p{N}_]+)*/gu,
  zh: /\p{Script=Han}+/gu,
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\uff70\uff9e\uff9f]+/gu,
  ko: /\p{Script=Hangul}+/gu,
  th: /\p{Script=Thai}+/gu,
};
const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text of a script. */
export function textOf(script: Script): fc.Arbitrary<string> {
  const word = fc.constantFrom(...WORDS[script]);
  const between = fc.constantFrom(...BETWEEN[script]);
  const words = fc.array(fc.tuple(word, between), { minLength: 4, maxLength: 30 });
  return words.map((all) => all.flat().join(''));
}

/** Every piece of a text with some lengths, counted in words for Latin letters and else in characters; each once. */
export function piecesOf(script: Script, text: string, least: number, most: number): string[] {
  const found = new Set<string>();
  for (const [run] of text.matchAll(RUNS[script])) {
    const units = script === 'en' ? run.split(' ') : [...characters.segment(run)].map(({ segment }) => segment);
    for (let start = 0; start < units.length; start++) {
      for (let length = least; length <= most && start + length <= units.length; length++)
        found.add(units.slice(start, start + length).join(script === 'en' ? ' ' : ''));
    }
  }
  return [...found];
}
