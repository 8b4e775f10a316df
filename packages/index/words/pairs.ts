/** The unified ideographs. Each is a single character. */
const IDEOGRAPHS = /^[\u4e00-\u9fff]*$/;
/** A character as a reader sees it: a letter with its marks. More than 14 marks become a separate character, so that no term is long. */
const CHARACTER = /\P{M}\p{M}{0,14}|\p{M}{1,15}/gu;

export function charactersOf(run: string): readonly string[] {
  return IDEOGRAPHS.test(run) ? run.split('') : (run.match(CHARACTER) ?? []);
}

/** Returns all pairs of neighbouring characters of a folded run, in order. Empty for a single character. */
export function pairsOf(run: string): string[] {
  const characters = charactersOf(run);
  const pairs: string[] = [];
  for (let at = 1; at < characters.length; at++) pairs.push(characters[at - 1]! + characters[at]!);
  return pairs;
}
