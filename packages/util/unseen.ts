/**
 * The characters to replace. Four characters are not among them: tab, line feed, and U+200C and U+200D, which join and separate letters of
 * Persian and Indian scripts, and emoji.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|\p{Cs}/gu;

/**
 * Replaces characters that are invisible, or that change how the text around them is shown. These are control characters except tab and
 * line feed, characters without a width, direction marks, other separators, and half surrogate pairs.
 */
export function replaceUnseen(text: string, by: '' | ' '): string {
  return text.replace(UNSEEN, by);
}
