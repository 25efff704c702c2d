import type { OwnPlaces } from '../own-entry';

/** Where Cursor is told of us, below the project or the home. */
export const OWN_FILE: OwnPlaces = { project: ['.cursor/hooks.json'], home: ['.cursor/hooks.json'] };
