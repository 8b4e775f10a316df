import { randomShares } from './made-page.js';
import { MANUAL_LANGUAGES, type ManualPage } from './manual-pages.js';

const SYLLABLES = {
  en: 'ba be bi bo da de di do ka ke ki ko',
  ru: 'ба бе би бо да де ди до ка ке ки ко',
  zh: '安装系统文件目录网络配置软件用户',
  ja: 'データベース検索画面設定保存印刷',
  ko: '가 나 다 라 마 바 사 아 자 차 카 타',
};

/** Pages of made-up words, for trials of the bench without installed manuals. They are the same at every call. */
export function* madeManual(pagesALanguage: number): Generator<ManualPage> {
  for (const language of MANUAL_LANGUAGES) {
    const random = randomShares(language.charCodeAt(0) * 7919);
    const hasBlanks = SYLLABLES[language].includes(' ');
    const pieces = hasBlanks ? SYLLABLES[language].split(' ') : [...SYLLABLES[language]];
    const blank = hasBlanks ? ' ' : '';
    const word = (): string =>
      Array.from(
        { length: 1 + Math.floor(random() ** 2 * 4) },
        () => pieces[Math.floor(random() * pieces.length)]!,
      ).join('');
    const words = (count: number): string => Array.from({ length: count }, word).join(blank);
    for (let i = 0; i < pagesALanguage; i++) {
      const to = Math.floor(random() * pagesALanguage);
      const title = words(3);
      yield {
        url: `https://manuals.example/${language}/${i}.html`,
        language,
        title,
        headings: [title, words(3)],
        text: `${title}\n${Array.from({ length: 8 }, () => `${words(8)}.`).join(' ')}`,
        links: [{ url: `https://manuals.example/${language}/${to}.html`, anchor: words(2) }],
      };
    }
  }
}
