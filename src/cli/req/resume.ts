import { parseArgs } from 'node:util';
import { sentenceOf } from '../../core/messages';
import { pauseFile } from '../../guards/requirements/view';
import { NO_PROJECT } from '../messages';
import { openProject } from '../project';
import type { ExitCode, Verb } from '../verb';
import { findOrAskSession, isEmptyId } from './find-session';
import { emptySessionId, noSession, sessionLine } from './messages';
import { noteOverride } from './note-override';
import { refuse } from './refuse';
import { changeState } from './under-lock';

export const verb: Verb = {
  usage: 'req resume [-s SESSION] [--json]',
  async run(args, context): Promise<ExitCode> {
    const { out } = context;
    const { values } = parseArgs({
      args: [...args],
      options: { session: { type: 'string', short: 's' }, json: { type: 'boolean', default: false } },
    });
    if (isEmptyId(values.session)) return refuse(context, emptySessionId('resume'), 2);
    const project = openProject(context);
    if (project === undefined) return refuse(context, NO_PROJECT, 1);
    const found = await findOrAskSession(values.session, project, context.env);
    if (found.kind === 'none') return refuse(context, noSession(found, project.root), 1);
    const { key: session } = found;
    // As text: a mark that is no JSON has to go too.
    const document = { ...pauseFile(session), format: 'text' } as const;
    const done = changeState(project.layout, () => [
      { document, what: `resumed ${session}`, apply: () => undefined },
    ]);
    if (!done.ok) return refuse(context, `Nothing was resumed: ${sentenceOf(done.failure)}`, 1);
    const was = done.value.length > 0;
    if (was) noteOverride(project.layout, { command: 'resume', about: '', session, written: done.value });
    if (values.json) out.json({ session, paused: false, was_paused: was });
    else {
      out.line(out.style('dim', sessionLine(found)));
      const note = was ? '' : ' (it was not paused)';
      out.line(out.style('green', `Framework resumed for session ${session}${note}`));
    }
    return 0;
  },
};
