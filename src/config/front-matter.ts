/**
 * The settings at the head of a Markdown file, between two lines of dashes. Line numbers stay those of
 * the file; without such a head there is nothing to read.
 */
export function frontMatterOf(text: string): string {
  const lines = text.split('\n');
  const isFence = (line: string): boolean => line.trimEnd() === '---';
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  if (!isFence(lines[0] ?? '') || end < 0) return '';
  return ['', ...lines.slice(1, end)].join('\n');
}
