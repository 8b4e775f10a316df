/** But for tab and line feed. U+200C and U+200D are no such: they join and part letters of Persian, of Indian scripts, and signs. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]|\p{Cs}/gu;

/**
 * Replaces what nobody sees, or what changes how the text around it is shown: control characters but tab and line feed, signs without
 * a width, of direction and of other separators, and half a surrogate pair.
 */
export function replaceUnseen(text: string, by: '' | ' '): string {
  return text.replace(UNSEEN, by);
}
