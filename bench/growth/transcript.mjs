import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loops } from '../answers.mjs';
import { stop } from '../events.mjs';
import { startLoop } from '../scenes/loop.mjs';
import { rowsBySize } from './sizes.mjs';

const MEGABYTE = 1024 * 1024;

/**
 * A transcript that ends with a few lines; what stands before them is a hole, which reads like any other bytes.
 * Every turn has its own, with other last words: a loop in which nothing moves would end.
 */
function transcriptOf({ place, turn }, megabytes) {
  const dir = join(place.home, '.claude/projects/bench');
  mkdirSync(dir, { recursive: true });
  const file = join(dir, `${turn}.jsonl`);
  writeFileSync(file, '');
  truncateSync(file, megabytes * MEGABYTE);
  appendFileSync(file, `\n${linesOf(turn).join('\n')}\n`);
  return file;
}

function linesOf(turn) {
  const line = (type, content) => {
    const shared = { isSidechain: false, timestamp: new Date().toISOString(), uuid: 'x', type };
    return JSON.stringify({ ...shared, message: { role: type, content } });
  };
  return [
    line('user', 'Make the tests pass'),
    line('assistant', [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'npm test' } }]),
    line('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }]),
    line('assistant', [{ type: 'text', text: `After ${turn} rounds one test still fails.` }]),
  ];
}

/** The host does not say what the agent's last words were, so they are looked up. */
function withoutWords(scene, megabytes) {
  const { last_assistant_message: _, ...rest } = stop(scene);
  return { ...rest, transcript_path: transcriptOf(scene, megabytes) };
}

export const transcript = rowsBySize([1, 500], (megabytes) => ({
  name: `growth: loop, transcript of ${megabytes} MB`,
  place: (stage) => stage.repository(`transcript-${megabytes}`),
  before: startLoop,
  event: (scene) => withoutWords(scene, megabytes),
  expects: loops,
}));
