import { itAsksInItsDialog } from '../contract/dialog';
import { inClient } from '../in-client';
import { copilot } from './client';

inClient('copilot', copilot.title, () => {
  itAsksInItsDialog(copilot, {
    start: ({ path, env }) => ({ path, args: ['--no-auto-update', '--allow-all'], env }),
    ready: 'Allow All',
    dialog: '2. No',
    yes: '\r',
    no: '\x1b',
  });
});
