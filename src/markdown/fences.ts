import { runEnd, skipSpaces } from './lines';

/** An open code fence: what closes it. */
export interface Fence {
  readonly mark: string;
  readonly length: number;
}

/** The fence that opens at `first`, if one does. Nothing after backticks may hold another backtick. */
export function openFence(wide: string, first: number): Fence | undefined {
  const mark = wide[first];
  if (mark !== '`' && mark !== '~') return undefined;
  const end = runEnd(wide, first);
  if (end - first < 3 || (mark === '`' && wide.includes('`', end))) return undefined;
  return { mark, length: end - first };
}

/** Whether the line that begins at `first` closes the fence: as long a run at least, and nothing else. */
export function closesFence({ mark, length }: Fence, wide: string, first: number): boolean {
  if (wide[first] !== mark) return false;
  const end = runEnd(wide, first);
  return end - first >= length && skipSpaces(wide, end) >= wide.length;
}
