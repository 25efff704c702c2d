import type { OwnPlaces } from '../own-entry';

/** The file of ours in which Copilot CLI is told of us, below the project or the home. */
export const OWN_FILE: OwnPlaces = {
  project: ['.github/hooks/holdpoint.json'],
  home: ['.copilot/hooks/holdpoint.json'],
};
