const PUBLISHED = String.raw`published|posted|written|created|veröffentlich\S*|publiziert|erstellt|verfasst|erschienen|gepostet|publié\S*|mise? en ligne|publicad[oa]|pubblicat[oa]|опубликован\S*|发布\S*|發布|등록|입력|投稿日?|公開日?|yayın\S*|opublikowan\S*|dodano`;
const MODIFIED = String.raw`updated?|modified|edited|revised|revision|aktualisiert|geändert|bearbeitet|mis à jour|modifié|actualizad[oa]|modificad[oa]|aggiornat[oa]|atualizad[oa]|обновл\S*|измен[её]н\S*|редакт\S*|aktualiz\S*|bijgewerkt|gewijzigd|opdateret|uppdaterad\S*|oppdatert|更新|修改|수정|güncelle\S*|оновлено`;
/** Words before a date that do not say what happened then. */
const ON = 'on|vom|am|le';
const DATE = String.raw`stand|дата|data|datum|fecha|日期|時間|时间|tarih\S*`;
/** Words before the name of an author. */
const BY = 'by|von|par|por|di';

export const ENDS_WITH_PUBLISHED = labelOf(PUBLISHED);
export const ENDS_WITH_MODIFIED = labelOf(MODIFIED);
/** Matches the text before a date that is likely the date of the page. It is for dates in elements for dates. */
export const ENDS_WITH_LABEL = labelOf(`${PUBLISHED}|${ON}|${DATE}`);
export const BEGINS_WITH_BY = new RegExp(`^\\s*(?:${BY})\\s+`, 'i');
export const BEGINS_WITH_AUTHOR = new RegExp(
  String.raw`^\P{L}*(?:(?:(?:${PUBLISHED}|article|artikel|beitrag)\P{L}+)?(?:${BY})|author|autore?|auteur)\P{L}`,
  'iu',
);

function labelOf(words: string): RegExp {
  return new RegExp(String.raw`(?:${words})\P{L}{0,12}(?:(?:${ON}|at|el|il|em|op|den)\P{L}{1,12})?$`, 'iu');
}
