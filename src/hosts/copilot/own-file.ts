import type { OwnPlaces } from '../own-entry';

/** The file of ours in which Copilot CLI is told of us. */
export const OWN_FILE: OwnPlaces = {
  project: ['.github/hooks/holdpoint.json'],
  folder: '.copilot',
  variable: 'COPILOT_HOME',
  home: ['hooks/holdpoint.json'],
};
