/**
 * For each kind of short block, its usual first words in English, German, French, Spanish and Italian. Blocks of these kinds are mostly
 * beside the article.
 */
const FIRST_WORDS: Readonly<Record<string, RegExp>> = {
  related:
    /^(see also|read (also|more|next|on)|related|more (from|on|about|stories|news|in)|you (may|might)|recommended|don't miss|also on|up next|next article|previous|next|zurück|weiter|mehr (zu|aus|von|über)|lesen sie|lies auch|auch interessant|weitere|weiterlesen|das könnte|ähnliche|passend|lire (aussi|la suite)|à lire|voir aussi|sur le même|articles? (similaires|liés)|leer más|lea también|te puede|relacionad|leggi anche|potrebbe)/,
  comment:
    /^(\d* ?(comments?|kommentare?|commentaires?|comentarios?|responses?|replies|reply|antworten?)\b|leave a|post a comment|write a|schreibe|hinterlasse|kommentar|deine e-mail|your email|laisser un|dejar? un|répondre|responder|log ?in to)/,
  share:
    /^(share|tweet|facebook|twitter|whatsapp|pinterest|linkedin|e-?mail|print|drucken|teilen|artikel (teilen|drucken)|partager|imprimer|compartir|follow|folge|like|gefällt|telegram|xing|link kopieren|copy link|bookmark|merken)/,
  author:
    /^(by|von|par|por|di|author|autor|autorin|about the author|über (den|die) autor|written by|text:|text von|redaktion|posted by|published by|geschrieben von|der autor|die autorin|a propos de l)\b/,
  rights:
    /^(©|\(c\)|copyright|all rights|alle rechte|tous droits|todos los derechos|terms|privacy|impressum|datenschutz|agb|contact|kontakt|about us|über uns)/,
  subscribe:
    /^(newsletter|subscribe|sign (up|in)|log in|login|register|anmelden|abonnieren|jetzt (abonnieren|anmelden|registrieren|kaufen|lesen|testen)|abo|s'abonner|inscri|suscr|regístr|cookies?|we use|wir verwenden|diese (web)?seite verwendet|ce site|get (the|our)|join|become|donate|spenden|support|premium|anzeige|werbung|advertisement|publicité|sponsored)/,
  meta: /^(tags?\b|tagged|schlag|stichw|themen?\b|topics?\b|kategorie|categor|catégor|filed|posted|published|veröffentlicht|publié|publicado|updated|aktualisiert|stand\b|erstellt|datum|date|last (modified|updated)|lesezeit|lesedauer|reading time|\d+ min|ressort|dieser (beitrag|eintrag|artikel)|this entry|mots[- ]cl|etiquetas|labels?:)/,
  picture:
    /^(foto|fotos|photo|bild|bilder|bildquelle|image|images|credit|credits|quelle|source|grafik|video|abbildung|symbolbild|picture|crédit|imagen|getty|©|zum vergrößern|enlarge|dpa)\b/,
  date: /^(\w+,? )?((\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4})|(\d{4}-\d\d-\d\d)|(\d{1,2}(\.|st|nd|rd|th)?( de)? (jan|feb|mär|mar|apr|mai|may|jun|jul|aug|sep|okt|oct|nov|dez|dec|févr|avr|juin|juil|août|déc|ene|abr|ago|dic)\p{L}*\.?,?( de)? \d{4})|((jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.? \d{1,2},? \d{4}))/u,
};

export const FIRST_WORD_NAMES = Object.keys(FIRST_WORDS);

/** The kinds that the start of a block indicates, as bits in the order of {@link FIRST_WORD_NAMES}. */
export function firstWords(start: string): number {
  const text = start.trimStart().toLowerCase();
  let bits = 0;
  FIRST_WORD_NAMES.forEach((name, i) => {
    if (FIRST_WORDS[name]!.test(text)) bits |= 1 << i;
  });
  return bits;
}
