import type { Event } from '../../domain/event';
import { branchLabel } from '../../domain/git-head';
import type { Guard, Interest } from '../../domain/guard';
import type { Needs, Snapshot } from '../../domain/snapshot';
import { documentIn } from '../../domain/snapshot';
import { branchFile, PROJECT_FILE } from './branch-file';
import type { RequirementsConfig } from './config';
import { decide } from './decide';
import { triggeredBy } from './triggers';

/** Hold an action until something has been done. */
export const guard: Guard<RequirementsConfig> = { name: 'requirements', interest, needs, decide };

function interest(config: RequirementsConfig): readonly Interest[] {
  const start: Interest = { kind: 'session.start' };
  if (!config.enabled || config.requirements.length === 0) return [];
  if (config.reach === 'global-only') return [start];
  const tools = toolsOf(config.requirements);
  const consumed = toolsOf(config.requirements.filter(({ scope }) => scope === 'single_use'));
  return [
    start,
    { kind: 'tool.before', tools },
    ...(consumed.length > 0 ? [{ kind: 'tool.after', tools: consumed } as const] : []),
    ...(config.stop.verify ? [{ kind: 'turn.stop' } as const] : []),
  ];
}

function toolsOf(requirements: RequirementsConfig['requirements']): string[] {
  const names = requirements.flatMap(({ triggers }) => triggers.map(({ tool }) => tool));
  return [...new Set(names)];
}

/** A call that sets nothing off needs nothing: not one file is read for it. */
function needs(event: Event, config: RequirementsConfig, known: Snapshot): Needs {
  const call = 'call' in event ? event.call : undefined;
  if (call !== undefined && triggeredBy(call, config.requirements).length === 0) return {};
  const file = branchFile(branchLabel(known.git), (ref) => documentIn(known, ref));
  const hasPermanent = config.requirements.some(({ scope }) => scope === 'permanent');
  return {
    documents: hasPermanent ? [file, PROJECT_FILE] : [file],
    sessions: event.kind === 'tool.before' || (event.kind === 'turn.stop' && asksForOthers(config)),
  };
}

function asksForOthers({ requirements }: RequirementsConfig): boolean {
  return requirements.some((one) => one.type === 'condition' && one.condition === 'single_session');
}
