import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { detailOf } from '../../core/failure';
import type { JsonObject } from '../../core/json';
import { buildStage, type Reply } from '../try/stage';
import { advice, type Check, failed, passed } from './check';

const HOOK = join(dirname(fileURLToPath(import.meta.url)), '..', 'hook.cjs');
const REINSTALL = advice('Reinstall holdpoint', 'npm install --global holdpoint');

const HARMLESS: JsonObject = {
  hook_event_name: 'PreToolUse',
  tool_name: 'Read',
  tool_input: { file_path: 'src/login.ts' },
};
const KNOWN_BAD: JsonObject = {
  hook_event_name: 'PreToolUse',
  tool_name: 'Edit',
  tool_input: { file_path: 'src/login.ts', old_string: '42', new_string: '43' },
};

/** Lets the built hook answer two events in a scratch repository with a home of its own. */
export function probeHook(): Check[] {
  const present = { id: 'hook.bundle', category: 'hook' } as const;
  if (!existsSync(HOOK)) return [failed(present, `${HOOK} is missing`, REINSTALL)];
  return [passed(present, HOOK), ...answerChecks()];
}

function answerChecks(): Check[] {
  try {
    const stage = buildStage();
    try {
      return [harmlessCheck(stage.sendEvent(HARMLESS)), knownBadCheck(stage.sendEvent(KNOWN_BAD))];
    } finally {
      stage.remove();
    }
  } catch (error) {
    const subject = { id: 'hook.denies', category: 'hook' } as const;
    return [failed(subject, `no scratch repository could be made to try the hook in: ${detailOf(error)}`)];
  }
}

function harmlessCheck(reply: Reply): Check {
  const subject = { id: 'hook.allows', category: 'hook' } as const;
  const silent = reply.exitCode === 0 && reply.stdout === '';
  return silent
    ? passed(subject, 'a harmless event passes in silence')
    : failed(subject, `a harmless event was answered with ${answerOf(reply)}`, REINSTALL);
}

function knownBadCheck(reply: Reply): Check {
  const subject = { id: 'hook.denies', category: 'hook' } as const;
  const denied = reply.exitCode === 0 && reply.stdout.includes('"permissionDecision":"deny"');
  return denied
    ? passed(subject, 'an edit that a requirement forbids is denied')
    : failed(subject, `an edit that a requirement forbids was answered with ${answerOf(reply)}`, REINSTALL);
}

function answerOf({ stdout, stderr, exitCode }: Reply): string {
  const [said = ''] = (stdout || stderr).split('\n');
  return `${said === '' ? 'nothing' : said} (exit code ${exitCode})`;
}
