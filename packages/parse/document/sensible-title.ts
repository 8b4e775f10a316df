const FILE_NAME =
  /\.(?:docx?|docm|odt|rtf|pages|wpd|pptx?|odp|key|xlsx?|xlsm|ods|numbers|pdf|e?ps|tex|dvi|indd|qxd|qxp|fm|pmd|pub|vsdx?|ai|cdr|dwg|txt|html?|tiff?|jpe?g|png)$/i;
const PLACEHOLDER =
  /^(?:untitled|unbenannt|sans (?:nom|titre)|sin título|senza titolo|no title|titl?el?|(?:powerpoint )?presentation|präsentation|document|dokument|sheet|tabelle|feuil|hoja|foglio|无标题|無題|제목 없음)[\s\d()_-]*$/i;

/** Returns the title, or an empty text if the title does not describe the document. For example, some programs use a file name as title. */
export function sensibleTitle(title: string): string {
  const isMade =
    /^microsoft (?:word|excel|powerpoint)\b/i.test(title) || FILE_NAME.test(title) || PLACEHOLDER.test(title);
  return isMade || !/[\p{L}\p{N}]/u.test(title) ? '' : title;
}
