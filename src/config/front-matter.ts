/** A Markdown file in its two parts. */
export interface MarkdownParts {
  /** The settings at its head, between two lines of dashes, with the line numbers of the file. */
  readonly head: string;
  /** What stands below, without blank lines around it. */
  readonly body: string;
  /** The number of the line at which the body begins. */
  readonly bodyLine: number;
}

/** Without such a head all of it is body. */
export function splitFrontMatter(text: string): MarkdownParts {
  const lines = text.split('\n');
  const isFence = (line: string): boolean => line.trimEnd() === '---';
  const fence = isFence(lines[0] ?? '') ? lines.findIndex((line, at) => at > 0 && isFence(line)) : -1;
  const head = fence < 0 ? '' : ['', ...lines.slice(1, fence)].join('\n');
  const below = lines.slice(fence + 1);
  const blank = below.findIndex((line) => line.trim() !== '');
  return { head, body: below.join('\n').trim(), bodyLine: fence + 2 + Math.max(0, blank) };
}
