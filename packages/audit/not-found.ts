/** A page that says "not found" and has fewer words probably has no other content. */
export const MIN_WORDS = 150;

/** Phrases in titles of pages for wrong URLs. Each must be a whole part of the title. */
const SAYS = [
  '(?:error |http |fehler |erreur )?404(?: error| not found| - not found)?',
  "(?:404[ :,.–—-]*)?(?:the |this |requested )*(?:page|file|document|site|content|url)?(?: was| is| could|can)?(?: be)?(?: not|not|n[’']t)(?: be)? (?:found|exist)",
  "(?:page|file|document) (?:does not|doesn[’']t) exist",
  '(?:seite|datei) (?:wurde )?nicht gefunden',
  'page (?:non trouvée|introuvable)',
  'página no encontrada',
  'página não encontrada',
  'pagina non trovata',
  'pagina niet gevonden',
  'strona nie (?:została znaleziona|istnieje)|nie znaleziono strony',
  'sidan (?:hittades inte|kunde inte hittas)',
  'sayfa bulunamadı',
  'страница не найдена',
  'ページが見つかりません(?:でした)?|お探しのページ(?:が|は)見つかりません(?:でした)?',
  '(?:页面|頁面|网页)(?:不存在|未找到|找不到)|找不到(?:页面|頁面|网页)',
  '페이지를 찾을 수 없습니다',
];
const WHOLE = new RegExp(`^[\\s!.…:]*(?:${SAYS.join('|')})[\\s!.…:]*$`, 'iu');
const BEGINS =
  /^\s*(?:error\s+|http\s+)?404(?:\s*[-–—:|.,!(]|\s+(?:not|error|file|oops|sorry|nothing|lost)\b(?!s)|\s*$)/i;
const PARTS = /\s+[|–—·•»«:>-]+\s+|\s*\|\s*/u;

/**
 * Whether the title or the first heading of a page says that this page does not exist. A title on the subject of missing pages does not
 * count.
 */
export function saysNotFound(title: string, h1: string): boolean {
  return [title, h1].some((text) => {
    const parts = text.slice(0, 300).split(PARTS);
    return parts.some((part) => part !== '' && WHOLE.test(part)) || (BEGINS.test(text) && text.length < 60);
  });
}
