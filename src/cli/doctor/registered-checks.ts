import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../core/json';
import { linesIn } from '../../hosts/own-lines';
import { readJournal } from '../../state/journal';
import type { Layout } from '../../state/layout';
import type { OpenProject } from '../project';
import { advice, type Check, passed, warned } from './check';

const OURS = /\bholdpoint(?:\.cjs)?["']?\s+hook\b|\bhook\.cjs\b|holdpoint\/launch/;

/** Whether a host calls us at all, and when it last did. */
export function registeredChecks(project: OpenProject | undefined, home: string): Check[] {
  const inProject = ['.claude/settings.json', '.claude/settings.local.json'];
  const files = [
    ...(project === undefined ? [] : inProject.map((name) => join(project.root, name))),
    join(home, '.claude/settings.json'),
  ];
  return [registeredCheck(files), ...(project === undefined ? [] : [lastRunCheck(project.layout)])];
}

function registeredCheck(files: readonly string[]): Check {
  const subject = { id: 'hook.registered', category: 'hook' } as const;
  const read = files.map((file) => ({ file, events: eventsIn(file) }));
  const broken = read.find(({ events }) => events === 'unreadable');
  const ours = read.flatMap(({ file, events }) =>
    events === 'unreadable' || events.length === 0 ? [] : [{ file, events }],
  );
  const fix = advice('Let the host call `holdpoint hook` for PreToolUse, Stop and SessionStart');
  if (broken !== undefined) return warned(subject, `${broken.file} is not valid JSON`, advice('Mend it'));
  if (ours.length === 0)
    return warned(subject, 'no settings file of Claude Code calls `holdpoint hook`', fix);
  const told = ours.map(({ file, events }) => `${file} (${events.join(', ')})`).join('; ');
  const guarded = ours.some(({ events }) => events.includes('PreToolUse'));
  return guarded
    ? passed(subject, told)
    : warned(subject, `${told}: nothing is held before a tool runs`, fix);
}

/** The events for which a settings file calls us. A file that is not there calls nobody. */
export function eventsIn(file: string): readonly string[] | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  try {
    const settings: unknown = JSON.parse(text);
    const hooks = isJsonObject(settings) && isJsonObject(settings['hooks']) ? settings['hooks'] : {};
    return Object.keys(hooks).filter((event) => linesIn(hooks[event]).some((line) => OURS.test(line)));
  } catch {
    return 'unreadable';
  }
}

export function lastRunCheck(layout: Layout): Check {
  const subject = { id: 'hook.last-run', category: 'hook' } as const;
  let last = '';
  for (const { host, at, event } of readJournal(layout)) {
    if (host !== 'command line' && typeof at === 'string') last = `${at} (${String(event ?? 'unknown')})`;
  }
  if (last !== '') return passed(subject, `the last event that was noted came at ${last}`);
  return warned(
    subject,
    'the journal knows of no event yet',
    advice('Let the agent try an edit, then look again'),
  );
}
