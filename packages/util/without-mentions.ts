/** Breaks what a service reads as a mention (`@someone`) or as the number of an issue (`#1`) in Markdown. */
export function withoutMentions(markdown: string): string {
  return markdown.replace(/([@#])(?=[\w-])/g, '$1<!-- -->');
}
