/** How much has changed. Binary files count as files alone. */
export interface DiffStats {
  readonly new: number;
  readonly modified: number;
  readonly deleted: number;
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

export interface DiffListing {
  readonly files: readonly string[];
  readonly stats?: DiffStats;
}

/** What to ask git for. Line counts cost a look at every file. */
export function listingOptions(stats: boolean): readonly string[] {
  return ['-r', '-z', '--no-renames', ...(stats ? ['--raw', '--numstat'] : ['--name-only'])];
}

/** What git printed, asked with those options. */
export function parseListing(printed: string, stats: boolean): DiffListing {
  const parts = printed.split('\0');
  parts.pop();
  return stats ? withStats(parts) : { files: parts };
}

/** First a head and a path for each file, then a line of counts for each. */
function withStats(parts: readonly string[]): DiffListing {
  const files: string[] = [];
  const kinds: Record<string, number> = {};
  let at = 0;
  for (; parts[at]?.startsWith(':'); at += 2) {
    const kind = parts[at]?.at(-1) ?? '';
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    files.push(parts[at + 1] ?? '');
  }
  const counts = parts.slice(at).map((line) => line.split('\t', 2).map((count) => Number(count) || 0));
  const [added = 0, deleted = 0] = [kinds['A'], kinds['D']];
  return {
    files,
    stats: {
      new: added,
      deleted,
      modified: files.length - added - deleted,
      linesAdded: counts.reduce((sum, [lines = 0]) => sum + lines, 0),
      linesRemoved: counts.reduce((sum, [, lines = 0]) => sum + lines, 0),
    },
  };
}
