import { isSilent } from '../answers.mjs';
import { after, bash, configChange, edit, failed, prompt, read, stop } from '../events.mjs';
import { projectWith } from './four-requirements.mjs';

const configured = (stage) => projectWith(stage, 'no-guard');
const unconfigured = (stage) => stage.repository('no-config', { files: { 'a.ts': 'a\n' } });
const nowhere = (stage) => stage.bare('no-project');

/** Without a project there is no place for a word either, so one on standard error is no fault. */
const allows = ({ status, stdout }) => status === 0 && stdout === '';

/** Events that nobody watches: in a project with requirements, in one without config, and outside of any. */
export const noGuard = [
  { name: 'no guard: before a read', place: configured, event: read, expects: isSilent },
  { name: 'no guard: before a command', place: configured, event: bash('npm test'), expects: isSilent },
  {
    name: 'no guard: after an edit',
    place: configured,
    event: after(edit, { success: true }),
    expects: isSilent,
  },
  {
    name: 'no guard: after a failed command',
    place: configured,
    event: failed(bash('npm test'), 'Exit code 1'),
    expects: isSilent,
  },
  { name: 'no guard: settings changed', place: configured, event: configChange, expects: isSilent },
  { name: 'no guard: edit, no config', place: unconfigured, event: edit, expects: isSilent },
  { name: 'no guard: prompt, no config', place: unconfigured, event: prompt, expects: isSilent },
  { name: 'no guard: stop, no config', place: unconfigured, event: stop, expects: isSilent },
  { name: 'no guard: edit, no project', place: nowhere, event: edit, expects: allows },
];
