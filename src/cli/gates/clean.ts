import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findGit } from '../../git/find-git';
import { type Cleaned, cleanByHand, debugLog, logDirOf } from '../../guards/gates/run/logs';
import { runInProgress } from '../../guards/gates/run/messages';
import type { Context, ExitCode, Verb } from '../verb';
import * as say from './messages';
import { gatesHere } from './project';

const STANDARD_DIRS = ['gauntlet_logs', '.holdpoint/logs'];

export const verb: Verb = {
  usage: 'holdpoint gates clean [--json]',
  run(args, context) {
    const { values } = parseArgs({
      args: [...args],
      options: { json: { type: 'boolean', default: false } },
    });
    const here = gatesHere(context);
    const logDir = logDirHere(here, context.cwd);
    const cleaned = cleanByHand(logDir);
    if (here?.config !== undefined && cleaned.kind === 'archived')
      debugLog(logDir, here.config)('CLEAN type=manual reason=command');
    if (values.json) context.out.json(cleanedJson(cleaned, logDir));
    return tell(cleaned, values.json, context);
  },
};

/** Logs can be put away even where the config has gone, or was never there. */
function logDirHere(here: ReturnType<typeof gatesHere>, cwd: string): string {
  if (here?.config !== undefined) return logDirOf(here.root, here.config);
  const root = here?.root ?? findGit(cwd)?.root ?? cwd;
  const [first = '', ...others] = STANDARD_DIRS.map((dir) => join(root, dir));
  return others.find((dir) => !existsSync(first) && existsSync(dir)) ?? first;
}

function tell(cleaned: Cleaned, json: boolean, { out }: Context): ExitCode {
  switch (cleaned.kind) {
    case 'archived':
      if (!json) out.line(say.ARCHIVED);
      return 0;
    case 'nothing':
      if (!json) out.line(say.NOTHING_TO_ARCHIVE);
      return 0;
    case 'locked':
      out.error(say.errorLine(runInProgress(cleaned.file, cleaned.holder, Date.now())));
      out.error(say.LOCK_HINT);
      return 3;
    case 'failed':
      out.error(say.cleanFailed(cleaned.why));
      return 2;
  }
}

function cleanedJson(cleaned: Cleaned, logDir: string): object {
  const files = cleaned.kind === 'archived' ? cleaned.files : [];
  return { archived: cleaned.kind === 'archived', log_dir: logDir, files };
}
