import type { OwnFile, Sheet } from '../../hosts/setup';

/** All files of a sheet that nobody shares with us. */
export function ownFilesOf(sheet: Sheet): readonly OwnFile[] {
  const first = sheet.kind === 'own-file' ? [{ file: sheet.file, text: sheet.text }] : [];
  return [...first, ...(sheet.files ?? [])];
}
