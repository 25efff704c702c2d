import { performance } from 'node:perf_hooks';
import type { JsonObject } from '../../core/json';
import { isHeld } from '../doctor/known-bad';
import type { Client } from './client';
import type { TrialStage } from './trial-stage';

/** What a shell and a program on the way could take for something of their own. */
const ODD_TEXT = `ü\\n $HOME \`x\` %41 '"\u007f`;
const COMMAND = `git commit -m ${ODD_TEXT}`;

/** Only who gets the event unharmed holds it. */
export const TRIAL_CONFIG = JSON.stringify({
  inherit: false,
  requirements: {
    trial: {
      enabled: true,
      scope: 'session',
      trigger_tools: [
        { tool: 'Bash', command_pattern: `^${COMMAND.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$` },
      ],
    },
  },
});

const RUNS = 5;
/** No event takes so long, so there is something wrong with it. */
const SLOW_MS = 2000;
const MUTE_PATIENCE = 1;
const MUTE_WITHIN_MS = 6000;

/** Milliseconds that an event takes through a client; nothing where one was not answered, or not rightly. */
export async function trialTime(stage: TrialStage, client: Client): Promise<number | undefined> {
  const before = await stage.answered();
  const times: number[] = [];
  for (let turn = 0; turn < RUNS; turn++) {
    const begun = performance.now();
    const { stdout, stderr, exitCode } = stage.run(
      { socket: stage.socket, client },
      eventOf(`${client.name} ${turn}`),
    );
    const ms = performance.now() - begun;
    if (!isHeld(stdout, exitCode) || stderr !== '' || ms > SLOW_MS) return undefined;
    times.push(ms);
  }
  const wasAnswered = (await stage.answered()) === before + RUNS;
  return wasAnswered ? times.sort((a, b) => a - b)[Math.floor(RUNS / 2)] : undefined;
}

/** Whether the event is held in time where the server takes it and says nothing. */
export function givesUp(stage: TrialStage, client: Client): boolean {
  const impatient = { ...client, patience: MUTE_PATIENCE };
  const begun = performance.now();
  const { stdout, exitCode } = stage.run({ socket: stage.muteSocket, client: impatient }, eventOf('mute'));
  return isHeld(stdout, exitCode) && performance.now() - begun < MUTE_WITHIN_MS;
}

/** Compiles the config, which no server does. */
export function warmUp(stage: TrialStage): boolean {
  const { stdout, exitCode } = stage.run(undefined, eventOf('first'));
  return isHeld(stdout, exitCode);
}

function eventOf(id: string): JsonObject {
  return {
    session_id: 'd0c7070d-0000-4000-8000-000000000002',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: COMMAND },
    tool_use_id: `toolu_trial ${id}`,
  };
}
