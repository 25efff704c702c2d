import { isJsonObject, type JsonObject, nameIn, objectIn, textIn } from '../../core/json';
import { findProject } from '../../core/project';
import { statementOf } from '../../core/protection';
import { isSameSessionName } from '../../core/text';
import { readAll } from '../../exec/processes';
import { frameOf, LOOP_DEFAULTS } from '../../guards/loop/state';
import type { Context, ExitCode } from '../context';
import { openProject } from '../project';
import { gatherStatus, type Status } from '../status/gather';
import { print, printable } from '../ui/output';

export function statusline(context: Context): ExitCode {
  print(lineFor(context));
  return 0;
}

function lineFor(context: Context): string {
  try {
    const given = readAll(0);
    const input: unknown = given.ok && given.value.trim() !== '' ? JSON.parse(given.value) : {};
    const document = isJsonObject(input) ? input : {};
    const cwd = directoryIn(document) ?? context.cwd;
    // Falls back to the host's project if the agent has moved to another directory.
    const root = findProject(cwd, context.env)?.root;
    const project = root === undefined ? undefined : openProject({ ...context, cwd: root });
    if (project === undefined) return 'holdpoint off: no project';
    return shortStatus(gatherStatus({ ...project, cwd }, nameIn(document, 'session_id')));
  } catch {
    // If it failed, the status line would be empty, which looks like being off.
    return 'holdpoint ?';
  }
}

function directoryIn(document: JsonObject): string | undefined {
  const workspace = objectIn(document, 'workspace');
  const [current, project] = [textIn(workspace, 'current_dir'), textIn(workspace, 'project_dir')];
  return [current, textIn(document, 'cwd'), project].find((place) => place?.startsWith('/'));
}

function shortStatus(status: Status): string {
  const head = `holdpoint ${statementOf(status.protection)}`;
  const all = [waitingPart, requirementsPart, loopPart, flowPart, gatesPart];
  const parts = status.protection.holding.length === 0 ? [] : all.map((part) => part(status));
  return printable([head, ...parts.filter((part) => part !== '')].join(' · '));
}

function waitingPart({ waiting, requirements, session }: Status): string {
  const isOpen = (rule: string): boolean =>
    requirements.some(({ name, type, satisfied }) => name === rule && type === 'blocking' && !satisfied);
  const mine = waiting.filter((one) => session === undefined || one.session === session);
  const names = [...new Set(mine.map(({ rule }) => rule))].filter(isOpen);
  return names.length === 0 ? '' : `waiting for you: ${names.join(', ')}`;
}

function requirementsPart({ requirements, protection }: Status): string {
  const isHolding = protection.holding.includes('requirements');
  const held = requirements.filter(({ mode }) => mode === 'hold');
  const total = held.length;
  const open = held.filter(({ isOpen }) => isOpen).length;
  const done = held.filter(({ satisfied }) => satisfied).length;
  if (total === 0 || !isHolding) return '';
  if (open > 0) return `${open}/${total} req open`;
  return `${done === total ? total : `${done}/${total}`} req satisfied`;
}

function loopPart({ loops, session }: Status): string {
  const mine = loops.find(
    ({ state: { sessionId } }) =>
      sessionId === undefined || session === undefined || isSameSessionName(sessionId, session),
  );
  const top = mine && frameOf(mine.state.stack.at(-1), LOOP_DEFAULTS.maxIterations);
  return top === undefined ? '' : `loop ${top.iter}/${top.max}`;
}

function flowPart({ flow: { workflowStatus, trouble } }: Status): string {
  if (trouble !== undefined) return 'workflow unreadable';
  if (workflowStatus === undefined) return '';
  const { workflow, index, phases } = workflowStatus;
  const type = workflow.type ?? 'workflow';
  return index < 0 ? type : `${type} ${index + 1}/${phases.length}`;
}

function gatesPart({ gates }: Status): string {
  if (gates === undefined) return '';
  return gates.running ? 'gates running' : `gates ${gates.lastStatus ?? 'not run'}`;
}
