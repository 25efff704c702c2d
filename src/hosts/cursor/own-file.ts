import type { OwnPlaces } from '../own-entry';

/** Where Cursor is told of us. */
export const OWN_FILE: OwnPlaces = {
  project: ['.cursor/hooks.json'],
  folder: '.cursor',
  home: ['hooks.json'],
};
