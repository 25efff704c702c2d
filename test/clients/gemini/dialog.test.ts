import { itAsksInItsDialog } from '../contract/dialog';
import { inClient } from '../in-client';
import { gemini } from './client';

inClient('gemini', gemini.title, () => {
  itAsksInItsDialog(gemini, {
    start: ({ path, args, env }) => ({
      path,
      args: [args[0] ?? '', '-m', 'gemini-2.5-pro', '--approval-mode', 'yolo'],
      env,
    }),
    ready: 'Type your message',
    dialog: 'No, suggest changes (esc)',
    yes: '\r',
    no: '\x1b',
  });
});
